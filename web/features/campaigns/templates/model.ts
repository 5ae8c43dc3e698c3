import type { PushState, TargetState } from '../../../../contract/campaigns/template-fields.ts';
import { MODULES } from '../../../../contract/choices.ts';
import type { api } from '../../../api/client.ts';
import { num } from '../../../ui/format.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type Template = Awaited<ReturnType<typeof api.templates.list>>['data'][number];
export type Whole = Awaited<ReturnType<typeof api.templates.one>>;
export type Version = Whole['versions'][number];
export type Push = Whole['pushes'][number];
export type Possible = Awaited<ReturnType<typeof api.templates.targets>>['data'][number];
export type Previewed = Awaited<ReturnType<typeof api.templates.preview>>['data'][number];
export type Pushed = Awaited<ReturnType<typeof api.templates.pushed>>['data'][number];

export const PUSH_WORDS: Record<PushState, string> = {
  running: 'Pushing',
  paused: 'Waiting for you',
  done: 'Pushed',
  stopped: 'Stopped',
  undoing: 'Rolling back',
  undone: 'Rolled back',
};
export const PUSH_TONES: Record<PushState, Tone> = {
  running: 'info',
  paused: 'warn',
  done: 'good',
  stopped: 'warn',
  undoing: 'info',
  undone: 'plain',
};

export const TARGET_WORDS: Record<TargetState, string> = {
  waiting: 'Not pushed',
  pushed: 'Changed',
  unchanged: 'Nothing to change',
  refused: 'Refused',
  restored: 'Restored',
  partly: 'Partly restored',
  left: 'Not restored',
};
export const TARGET_TONES: Record<TargetState, Tone> = {
  waiting: 'plain',
  pushed: 'good',
  unchanged: 'plain',
  refused: 'bad',
  restored: 'good',
  partly: 'warn',
  left: 'warn',
};

/** What a template is of: 'Branding', or a product. */
export const kindWords = ({ kind, module }: Pick<Template, 'kind' | 'module'>): string =>
  kind === 'branding' ? 'Branding' : (MODULES.find((one) => one.module === module)?.name ?? 'Campaign');

/** Whether a job is at work on a push. */
export const isBusy = ({ state }: { state: PushState | null }): boolean =>
  state === 'running' || state === 'undoing';

/** What became of the targets of a push so far: '12 changed, 1 refused'. */
export function countWords(counts: Push['counts']): string {
  const parts = (Object.keys(TARGET_WORDS) as TargetState[]).flatMap((state) =>
    counts[state] ? [`${num(counts[state])} ${TARGET_WORDS[state].toLowerCase()}`] : [],
  );
  return parts.join(', ');
}
