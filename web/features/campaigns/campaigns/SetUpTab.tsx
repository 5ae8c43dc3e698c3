import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ruleFacts } from '../../../../contract/campaigns/campaign-rules.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay } from '../../../api/user.ts';
import { dayWords, money, num } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { None } from '../../../ui/Values.tsx';
import { audienceWords } from './audience.ts';
import { CampaignFields, RULES } from './CampaignForm.tsx';
import classes from './campaigns.module.css';
import { type Campaign, type CampaignValues, changeOf, sameSetUp, valuesOf } from './model.ts';
import { campaignQuery, LEAVING, LOST, updateOf, useCampaignChanged } from './queries.ts';
import { reportFacts } from './ReportFields.tsx';
import { informationWords, leadPriceOf } from './resource.ts';
import { placeWords } from './target.ts';

/** A campaign's settings: a form, or plain facts for users with read-only access. */
export function SetUpTab({ campaign }: { campaign: Campaign }) {
  return useMay('campaign.write') ? <SetUpForm campaign={campaign} /> : <SetUpFacts campaign={campaign} />;
}

function SetUpForm({ campaign }: { campaign: Campaign }) {
  const cache = useQueryClient();
  const changed = useCampaignChanged();
  const mayPrice = useMay('campaign.price');
  /** The campaign whose values filled the form. */
  const [base, setBase] = useState(campaign);
  const [conflict, setConflict] = useState<string>();
  const form = useForm<CampaignValues>({
    initialValues: valuesOf(campaign),
    validateInputOnBlur: true,
    validate: RULES,
  });
  const isDirty = form.isDirty();
  useLeaveGuard(isDirty, LOST, LEAVING);

  const fill = (from: Campaign) => {
    setBase(from);
    setConflict(undefined);
    form.setInitialValues(valuesOf(from));
    form.setValues(valuesOf(from));
    form.resetDirty();
    form.clearErrors();
  };
  // Another user's change is shown at once if nothing has been typed; otherwise saving reports the conflict.
  useEffect(() => {
    if (campaign.version !== base.version && !isDirty) fill(campaign);
  });

  const send = (values: CampaignValues, version: number) =>
    updateOf(base)({
      ...changeOf(values, base, mayPrice),
      campaign_id: base.campaign_id,
      version,
    });

  const save = async (values: CampaignValues) => {
    try {
      let answer: Awaited<ReturnType<typeof send>>;
      try {
        answer = await send(values, base.version);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
        // A pause or a check also raises the version, which is no reason to discard what was typed.
        const fresh = await cache.fetchQuery({ ...campaignQuery(base.campaign_id), staleTime: 0 });
        if (fresh.version === base.version || !sameSetUp(fresh, base)) throw error;
        setBase(fresh);
        answer = await send(values, fresh.version);
      }
      fill(answer.data);
      changed(answer.data.campaign_id, answer.data);
      notifyDone(messages.changesSaved);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setConflict(error.message);
      else showFormError(form, error);
    }
  };

  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <CampaignFields
        form={form}
        isNew={false}
        campaignId={campaign.campaign_id}
        planned={campaign.planned_costs}
      />
      <SaveBar
        isDirty={isDirty}
        above={
          conflict && (
            <Notice
              tone="warn"
              live="alert"
              title="Not saved"
              action={
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={async () =>
                    fill(await cache.fetchQuery({ ...campaignQuery(base.campaign_id), staleTime: 0 }))
                  }
                >
                  Reload
                </Button>
              }
            >
              {conflict}
            </Notice>
          )
        }
      >
        {isDirty && (
          <Button variant="default" onClick={() => form.reset()}>
            Discard
          </Button>
        )}
        <Button type="submit" disabled={!isDirty} loading={form.submitting}>
          Save
        </Button>
      </SaveBar>
    </form>
  );
}

function SetUpFacts({ campaign }: { campaign: Campaign }) {
  const day = (value: string | null, none: string) =>
    value ? dayWords(value, { year: 'numeric', month: 'short', day: 'numeric' }) : none;
  const facts: [string, ReactNode][] = [
    ['Name', campaign.campaign_name],
    ...(campaign.module === 'local'
      ? ([
          ['Site', campaign.site_url],
          ['Thank-you page', campaign.thank_you_url ?? <None key="none" />],
          ['Other domains', campaign.site_hosts.join(', ') || <None key="none" />],
        ] as [string, ReactNode][])
      : ([
          ['Keywords', campaign.keywords.replaceAll('\n', ', ')],
          [
            'Target location',
            placeWords({
              location: campaign.location ?? '',
              states: campaign.states,
              cities: campaign.cities,
              zips: campaign.zips.split('\n').filter(Boolean).length,
            }),
          ],
          ['Description', campaign.description || <None key="none" />],
        ] as [string, ReactNode][])),
    ...(campaign.module === 'b2b'
      ? ([['Target audience', audienceWords(campaign)]] as [string, ReactNode][])
      : []),
    ['Lead includes', informationWords(campaign) || 'Only name and contact details'],
    ...ruleFacts(campaign, campaign.module),
    [
      'Lead limit',
      campaign.daily_cap === null ? 'No limit' : `${num(campaign.daily_cap)} a ${campaign.limit_every}`,
    ],
    ['First day', day(campaign.starts_on, 'Immediately')],
    ['Last day', day(campaign.ends_on, 'No end date')],
    ...reportFacts(campaign),
    ['Payment term', campaign.term],
    ['Price per lead', money(leadPriceOf(campaign, campaign), { unit: true })],
    ['Monthly fee', money(microsTyped(campaign.monthly_fee))],
    ['One-time setup fee', money(microsTyped(campaign.platform_fee))],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
