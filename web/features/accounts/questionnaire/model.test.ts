import { describe, expect, test } from 'vitest';
import { Questionnaire } from '../../../../contract/accounts/questionnaire.ts';
import { insideName } from '../../../../contract/wire.ts';
import { toInside, toWire } from '../../../../contract/wire-schema.ts';
import { answerFault, answersOf, answerWords, QUESTIONS } from './model.ts';

const filled: Questionnaire = {
  business_type: 'agency',
  industry_id: 'advertising',
  franchise: 'T',
  franchise_director: 'F',
  office_manager: 'F',
  client_count: '2-10',
  verticals: ['legal', 'health'],
  lead_volume: '500',
  experience: 'some',
  channels: ['search'],
  crm: 'hubspot',
  goals: ['resell'],
  how_heard: 'event',
  note: 'Hello',
};

describe('[PROF-05] the questionnaire', () => {
  test('asks for everything that the contract holds, once', () => {
    expect(QUESTIONS.map(({ key }) => key).toSorted()).toEqual(
      Object.keys(Questionnaire.shape).map(insideName).toSorted(),
    );
  });

  test('answers go into the form and out of it unchanged, and the contract takes them', () => {
    expect(answersOf(filled)).toEqual(filled);
    expect(toInside(Questionnaire, Questionnaire.parse(toWire(Questionnaire, answersOf(filled))))).toEqual(
      filled,
    );
  });

  test('an empty form has a fault at each question that has to be answered', () => {
    const empty = answersOf(null);
    const faulty = QUESTIONS.filter((question) => answerFault(question, empty[question.key]!)).map(
      ({ key }) => key,
    );
    expect(faulty).toEqual(
      QUESTIONS.filter(({ kind }) => kind === 'one' || kind === 'many').map(({ key }) => key),
    );
    expect(Questionnaire.safeParse(toWire(Questionnaire, empty)).success).toBe(false);
  });

  test('every choice on the screen is one that the contract takes', () => {
    for (const question of QUESTIONS) {
      for (const { value } of question.options) {
        const answers = { ...filled, [question.key]: question.kind === 'many' ? [value] : value };
        expect(
          Questionnaire.safeParse(toWire(Questionnaire, answers)).success,
          `${question.key} ${value}`,
        ).toBe(true);
      }
    }
  });

  test('answers read back in words', () => {
    const words = Object.fromEntries(
      QUESTIONS.map((question) => [question.key, answerWords(question, filled[question.key])]),
    );
    expect(words).toMatchObject({
      business_type: 'Marketing agency',
      verticals: 'Legal, Health and wellness',
      franchise: 'Yes',
      office_manager: 'No',
      note: 'Hello',
    });
  });
});
