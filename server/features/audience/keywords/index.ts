export {
  cityNumber,
  cityOf,
  PLACE,
  type Place,
  placesOf,
  stateCode,
  stateNumber,
  stateOfNumber,
  type Target,
  zipNumber,
  zipOfNumber,
} from './place.policy.ts';
export {
  distinctKeywords,
  type Keyword,
  keywordOf,
  lookUpOf,
  runsOf,
  stemsOf,
  tagsOf,
} from './policy.ts';
export { THEMES_VERSION, themesOf } from './themes.policy.ts';
export type { KeywordThemes } from './themes.service.ts';
