import { KEYWORD_THEMES, type KeywordTheme } from '../../../../contract/audience/keyword-themes.ts';
import { keywordOf } from './policy.ts';

/** The version of the lists below. When they change, keywords of campaigns are judged again (`keywords.judge`). */
export const THEMES_VERSION = 2;

/**
 * Words and phrases of each theme, one a line. A keyword is about a theme if it has all words of one of them, in any
 * order and in any of their forms. Places that treat or teach, such as dentists and schools, are not listed: looking for
 * one says little about whoever looks.
 */
const LISTED: Record<KeywordTheme, string> = {
  health: `
    cancer
    tumor
    chemotherapy
    leukemia
    lymphoma
    diabetes
    insulin
    hiv
    aids symptoms
    aids treatment
    hepatitis
    herpes
    chlamydia
    gonorrhea
    syphilis
    std test
    std testing
    sti test
    sexually transmitted
    erectile dysfunction
    viagra
    cialis
    hair loss treatment
    menopause
    infertility
    ivf
    fertility clinic
    fertility treatment
    abortion
    pregnant
    pregnancy
    birth control
    contraception
    miscarriage
    postpartum
    depression
    antidepressant
    anxiety
    panic attack
    bipolar
    schizophrenia
    ptsd
    adhd
    autism
    ocd
    eating disorder
    anorexia
    bulimia
    self harm
    suicide
    psychiatrist
    therapist near
    mental health
    mental illness
    dementia
    alzheimer
    parkinson
    epilepsy
    multiple sclerosis
    crohn
    lupus
    fibromyalgia
    arthritis
    chronic pain
    kidney disease
    kidney failure
    dialysis
    heart disease
    heart attack
    heart failure
    high blood pressure
    hypertension
    stroke symptoms
    stroke recovery
    asthma
    copd
    ozempic
    wegovy
    semaglutide
    bariatric
    obesity
    drug rehab
    alcohol rehab
    rehab center
    addiction
    alcoholism
    alcoholics anonymous
    opioid
    methadone
    suboxone
    overdose
    gender dysphoria
    hormone therapy
    hospice
    disability benefits
    medical marijuana`,
  minors: `
    teenager
    teenagers
    teen dating
    teen girl
    teen boy
    underage
    preteen
    for teens
    children games
    kids games
    games for children
    homework help
    middle school student
    elementary school student
    high school student
    high school freshman
    high school prom
    8th grade
    7th grade
    6th grade
    child actor
    child model
    juvenile`,
  religion: `
    church
    churches
    christian
    christianity
    catholic
    catholicism
    protestant
    evangelical
    baptist
    methodist
    lutheran
    presbyterian
    pentecostal
    mormon
    jehovah witness
    bible
    gospel
    jesus
    baptism
    communion
    prayer
    rosary
    mosque
    muslim
    islam
    islamic
    quran
    koran
    ramadan
    halal
    hijab
    mecca
    jewish
    judaism
    synagogue
    kosher
    torah
    rabbi
    bar mitzvah
    bat mitzvah
    hindu
    hinduism
    buddhist
    buddhism
    sikh
    atheist
    religion
    religious`,
  distress: `
    bankruptcy
    chapter 7 lawyer
    chapter 13 lawyer
    chapter 7 filing
    chapter 13 filing
    foreclosure
    eviction
    evicted
    repossession
    repossessed
    payday loan
    cash advance loan
    title loan
    bad credit
    no credit check
    poor credit
    debt relief
    debt settlement
    debt consolidation
    debt collector
    debt collection
    collection agency
    credit repair
    wage garnishment
    garnishment
    tax lien
    tax debt
    back taxes
    behind on mortgage
    behind on rent
    mortgage relief
    loan modification
    food stamps
    food bank
    homeless
    homeless shelter
    unemployment benefits
    laid off
    emergency assistance
    rent assistance
    divorce lawyer
    divorce attorney
    child custody
    child support
    domestic violence
    abusive relationship
    restraining order
    gambling problem
    dui lawyer
    dui attorney
    criminal defense
    bail bonds
    immigration lawyer
    deportation`,
};

/** What has a listed word and is about something else: it excuses only what lies within it. */
const HARMLESS = `
  cancer horoscope
  cancer zodiac
  great depression
  depression glass
  tropical depression
  christian louboutin
  christian dior
  church shoes
  church's chicken
  bible app developer
  kosher salt
  credit card no annual fee`;

const formsOf = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => keywordOf(line)!.words.split(' '));

/** The listed phrases by their first stem: what a keyword does not contain is not compared. */
const BY_FIRST = new Map<string, { theme: number; stems: string[] }[]>();
for (const [at, theme] of KEYWORD_THEMES.entries())
  for (const stems of formsOf(LISTED[theme])) {
    const first = stems[0]!;
    BY_FIRST.set(first, [...(BY_FIRST.get(first) ?? []), { theme: 1 << at, stems }]);
  }
const HARMLESS_FORMS = formsOf(HARMLESS).map((stems) => ({ stems, text: ` ${stems.join(' ')} ` }));

/** The bit of a theme in a set. */
export const themeBit = (theme: KeywordTheme): number => 1 << KEYWORD_THEMES.indexOf(theme);

/** The themes of a set. */
export const themesIn = (set: number): KeywordTheme[] => KEYWORD_THEMES.filter((_, at) => set & (1 << at));

/** The set of themes that a keyword is about, by its comparable form (`keywordOf`). */
export function themesOf(words: string): number {
  const stems = words.split(' ');
  const all = new Set(stems);
  const spaced = ` ${words} `;
  const harmless = HARMLESS_FORMS.flatMap((form) => (spaced.includes(form.text) ? [form.stems] : []));
  const outside = harmless.length > 0 ? outsideOf(stems, harmless) : all;
  let set = 0;
  for (const stem of all)
    for (const listed of BY_FIRST.get(stem) ?? []) {
      if (!listed.stems.every((one) => all.has(one))) continue;
      const isExcused =
        !listed.stems.some((one) => outside.has(one)) &&
        harmless.some((form) => listed.stems.every((one) => form.includes(one)));
      if (!isExcused) set |= listed.theme;
    }
  return set;
}

/** The stems that stand at least once outside harmless phrases. */
function outsideOf(stems: readonly string[], harmless: readonly string[][]): Set<string> {
  const isInside = new Set<number>();
  for (const form of harmless)
    for (let from = 0; from + form.length <= stems.length; from++)
      if (form.every((stem, at) => stems[from + at] === stem))
        for (let at = 0; at < form.length; at++) isInside.add(from + at);
  return new Set(stems.filter((_, at) => !isInside.has(at)));
}
