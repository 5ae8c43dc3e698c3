import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Instant, Page, PageQuery } from '../primitives.ts';

/** What each kind of background job does, as its title on a screen. */
export const JOB_TITLES: Record<string, string> = {
  'access.alert': 'Account security email',
  'access.news': 'Account security email to owners',
  'access.reset': 'Password reset email',
  'access.sweep': 'Session cleanup',
  'ads.deliver': 'Ad delivery',
  'ads.spend': 'Ad spend',
  'agreements.news': 'Emails about new versions of agreements',
  'alerts.forget': 'Alert cleanup',
  'alerts.judge': 'Alert decisions',
  'alerts.message': 'Alert messages',
  'alerts.tell': 'Alerts',
  'audiences.build': 'Audience matching',
  'audiences.clear': 'Audience removal',
  'audiences.due': 'Audience check',
  'audit.seal': 'User log seal',
  'campaigns.resume': 'Campaign resume',
  'companies.changed': 'Client changes',
  'caps.tell': 'Spending limit notice',
  'collection.collect': 'Payment collection',
  'collection.follow': 'Payment follow-up',
  'collection.give_back': 'Refund after failed payment',
  'collection.mail': 'Invoice and dispute email',
  'collection.packages': 'Package renewal',
  'collection.tell': 'Payment notice',
  'connections.ending': 'Sign-in expiry notices',
  'customers.daily': 'Known customers',
  'customers.refresh': 'Known customers from a CRM',
  'datawallet.low': 'Data Wallet balance email',
  'datawallet.sweep': 'Data Wallet check',
  'datawallet.tell': 'Data Wallet notice',
  'datawallet.topup': 'Data Wallet top-up',
  'delivery.forget': 'Delivery log cleanup',
  'delivery.resume': 'Deliveries after reconnecting',
  'delivery.send': 'Lead delivery',
  'developer.event': 'Webhook messages for events',
  'developer.message': 'Webhook message delivery',
  'developer.expiry': 'API key expiry notices',
  'developer.forget': 'API request log cleanup',
  'digest.due': 'Weekly digests',
  'silence.due': 'Emails about silent sites',
  'view.exports': 'Saved view emails',
  'enrichment.complete': 'Lead data',
  'exports.end': 'Removal of old full exports',
  'exports.make': 'Full export',
  'exclusions.clear': 'Exclusion list removal',
  'exclusions.load': 'Exclusion list upload',
  'identity.import': 'File import',
  'identity.signal_days': 'Intent signal cleanup',
  'intent.catch_up': 'Campaign catch-up',
  'intent.count': 'Keyword count',
  'intent.match': 'Intent matching',
  'invoices.close': 'Invoice run',
  'invoices.fees': 'Campaign fee',
  'invoices.feesweep': 'Campaign fee check',
  'invoices.receipts': 'Receipt issuance',
  'keywords.judge': 'Keyword themes',
  'leads.score': 'Lead scores',
  'ledger.snapshot': 'Balance snapshot',
  'mail.send': 'Email',
  'margins.check': 'Price check',
  'minspend.announce': 'Minimum spend notices',
  'minspend.close': 'Minimum spend run',
  'payments.account': 'Payment account change',
  'payments.ask': 'Payment status check',
  'payments.compare': 'Payment comparison',
  'payments.notices': 'Payment provider notices',
  'payments.send': 'Card charge',
  'prepaid.low': 'Prepaid notice',
  'prepaid.renew': 'Prepaid top-up',
  'prepaid.sweep': 'Prepaid check',
  'prepaid.tell': 'Prepaid notice',
  'drop.run': 'California deletion lists',
  'drop.sweep': 'California deletion list check',
  'privacy.again': 'Second deletion, by privacy request',
  'privacy.sweep': 'Privacy request cleanup',
  'privacy.vendor': 'Deletion at a service, by privacy request',
  'reports.due': 'Campaign reports',
  'reports.notice': 'Lead notice',
  'settings.domains': 'Domain check',
  'taxes.report': 'Tax report',
  'taxes.sweep': 'Tax report check',
  'offboarding.run': 'Offboarding of a client',
  'offboarding.sweep': 'Offboarding check',
  'templates.push': 'Push of a template',
  'visits.ask_trust': 'Trusted address email',
  'visits.held': 'Held sign-ups email',
  'visits.partitions': 'Visit log maintenance',
  'wallet.sweep': 'Wallet expiry',
};

/** A background job that was set aside, since the server stopped twice while it ran. */
export const StoppedJob = z.object({
  id: z.string().describe('Opaque ID of the job to retry'),
  kind: z.string(),
  title: z.string(),
  about: z.string().describe('What the job was about: names and IDs from its payload, such as importId'),
  starts: z.int(),
  set_aside_at: Instant,
});

export const backgroundJobs = {
  stoppedJobs: call
    .route({
      method: 'GET',
      path: '/background/stopped',
      tags: ['Background jobs'],
      summary:
        'Lists background jobs that were set aside because the server stopped twice while running them',
    })
    .meta({ access: 'job.read' })
    .input(PageQuery)
    .output(Page(StoppedJob)),
  tryAgain: call
    .route({
      method: 'POST',
      path: '/background/stopped/again',
      tags: ['Background jobs'],
      summary: 'Retries a background job that was set aside',
    })
    .meta({ access: 'job.write' })
    .input(z.object({ id: z.string().min(1).max(200) }))
    .output(Done),
};
