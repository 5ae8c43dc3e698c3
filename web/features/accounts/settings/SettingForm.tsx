import { Button, Skeleton } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useUser } from '../../../api/user.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { forgetFailed, notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { changedWords, type Setting, type SettingName, type SettingValue } from './model.ts';
import classes from './settings.module.css';

/** Another tab needs a new form. */
const SETTING_TAB = ['tab'] as const;

/**
 * Loads a setting of the user's own company; `children` receive it, and are remounted when it is reloaded after a
 * conflict.
 */
export function SettingLoader<N extends SettingName>(props: {
  name: N;
  children: (setting: Setting<N>, reload: () => void) => ReactNode;
}) {
  const user = useUser();
  const [round, setRound] = useState(0);
  const query = useQuery({
    queryKey: ['setting', user.company_id, props.name, round],
    queryFn: ({ signal }) =>
      api.settings.get({ company_id: user.company_id, setting: props.name }, { signal }),
    // It fills a form, so it must not change while the form is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="This setting could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Skeleton height={420} aria-busy="true" />;
  return <div key={round}>{props.children(query.data as Setting<N>, () => setRound(round + 1))}</div>;
}

/** Saves a form's setting and keeps its version, what the last save changed, and a conflict's message. */
export function useSettingSave<N extends SettingName, Values extends object>(options: {
  setting: Setting<N>;
  form: UseFormReturnType<Values>;
  toValue: (values: Values) => SettingValue<N>;
  labels: Record<string, string>;
  /** Called after a save with the new value. */
  onSaved?: (value: SettingValue<N>) => void;
}) {
  const { setting, form, toValue, labels } = options;
  const [base, setBase] = useState({ version: setting.version, data: setting.data });
  const [saved, setSaved] = useState('');
  const [conflict, setConflict] = useState<string>();
  const about = `setting ${setting.setting}`;
  const isDirty = form.isDirty();
  useLeaveGuard(isDirty, 'Your changes to this setting will be lost.', SETTING_TAB);
  const save = form.onSubmit(
    async (values) => {
      setSaved('');
      try {
        const value = toValue(values);
        const answer = await api.settings.save({
          setting: setting.setting as N,
          value: value as Record<string, unknown>,
          version: base.version,
        });
        const data = answer.data.data as SettingValue<N>;
        setSaved(changedWords(base.data, data, labels));
        setBase({ version: answer.data.version, data });
        setConflict(undefined);
        form.setInitialValues(values);
        form.resetDirty(values);
        forgetFailed(about);
        notifyDone(answer.message);
        options.onSaved?.(data);
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) setConflict(error.message);
        else if (error instanceof ApiError && Object.keys(error.errors).length > 0)
          showFormError(form, error);
        else notifyFailed(error, messages.settingFailed, about);
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  return { save, saved, conflict, isDirty };
}

/** Says that another user saved the setting in the meantime, with a button to load the current one. */
export function Conflict({ words, onReload }: { words: string | undefined; onReload: () => void }) {
  if (!words) return null;
  return (
    <Notice
      tone="warn"
      title="Not saved"
      live="alert"
      action={
        <Button variant="default" onClick={onReload}>
          Reload this setting
        </Button>
      }
    >
      {words}
    </Notice>
  );
}

/** The foot of a setting's form: what is unsaved or has been saved, and the button. */
export function SaveBar(props: {
  state: ReturnType<typeof useSettingSave>;
  isSaving: boolean;
  onReload: () => void;
  mayWrite: boolean;
}) {
  const { saved, conflict, isDirty } = props.state;
  return (
    <>
      <Conflict words={conflict} onReload={props.onReload} />
      <div className={classes.save}>
        <span className={classes.state} role="status">
          {isDirty ? 'You have unsaved changes.' : saved}
        </span>
        <Button type="submit" loading={props.isSaving} disabled={!props.mayWrite}>
          Save
        </Button>
      </div>
    </>
  );
}

/** Call after the user's own brand has changed: the page applies it. */
export function useBrandChanged(): () => void {
  const cache = useQueryClient();
  return () => {
    void cache.refetchQueries({ queryKey: ['brand'] });
    void cache.refetchQueries({ queryKey: ['user'] });
  };
}
