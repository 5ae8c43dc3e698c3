export {
  cityNumber,
  PLACE,
  type Place,
  placesOf,
  stateCode,
  stateNumber,
  type Target,
  zipNumber,
} from './place.policy.ts';
export {
  distinctKeywords,
  type Keyword,
  keywordOf,
  lookUpOf,
  matchesWords,
  runsOf,
  tagsOf,
} from './policy.ts';
