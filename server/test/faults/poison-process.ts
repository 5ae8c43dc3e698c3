import { z } from 'zod';
import { defineJob, Jobs } from '../../platform/jobs.ts';
import { Metrics } from '../../platform/metrics.ts';

// A process that runs jobs of one kind until one of them kills it (server/platform/jobs.test.ts). argv: the database's
// address.

export const poison = defineJob('test.poison', z.object({ name: z.string(), deadly: z.boolean() }));

if (process.argv[2]) {
  const jobs = new Jobs(process.argv[2], true, (error) => console.log(`error ${String(error)}`), {
    metrics: new Metrics(),
  });
  jobs.hook(poison, { setAside: async ({ name }) => console.log(`set aside ${name}`) });
  await jobs.start();
  await jobs.work(poison, { pollingIntervalSeconds: 0.5, localConcurrency: 4 }, async ({ name, deadly }) => {
    console.log(`start ${name}`);
    // The other jobs are running when one of them kills the process.
    await new Promise((done) => setTimeout(done, 500));
    if (deadly) process.kill(process.pid, 'SIGKILL');
    console.log(`end ${name}`);
  });
  process.on('SIGTERM', () => void jobs.stop().then(() => process.exit(0)));
}
