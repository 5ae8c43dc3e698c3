import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { MinSpendOffer as Offer } from '../../../../contract/money/minimum-spend.ts';
import { api } from '../../../api/client.ts';
import { userMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import classes from './minimum-spend.module.css';
import { amountsOf, offerWords } from './model.ts';

/** The minimum spend announced to an agency, with a button to accept it. */
export function MinSpendOffer({ offer }: { offer: Offer }) {
  const user = useUser();
  const id = useId();
  const cache = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const mayAccept = userMay(user, 'account.write') && !user.in_view_mode;
  const accept = async () => {
    const isSure = await confirm({
      title: `Accept a minimum spend of ${amountsOf(offer)}?`,
      body: `${offerWords(offer)} If your leads and fees for a month stay below the minimum, the difference is invoiced to your agency.`,
      verb: 'Accept',
    });
    if (!isSure) return;
    setBusy(true);
    try {
      notifyDone((await api.minimumSpend.accept({ id: offer.id })).message);
    } catch (error) {
      notifyFailed(error, 'Accept the minimum spend');
    } finally {
      setBusy(false);
      await cache.invalidateQueries({ queryKey: ['minspend'] });
    }
  };
  return (
    <section className={`card ${classes.progress} ${classes.progressCard}`} aria-labelledby={id}>
      <Text fw={600} id={id} className="num">
        Minimum spend to accept: {amountsOf(offer)}
      </Text>
      <Text size="sm" my={8}>
        {offerWords(offer)}
      </Text>
      {mayAccept ? (
        <Button size="sm" loading={isBusy} onClick={() => void accept()}>
          Accept
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          An owner or administrator of your agency can accept it.
        </Text>
      )}
    </section>
  );
}
