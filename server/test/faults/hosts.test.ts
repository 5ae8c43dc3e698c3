import { describe, expect, test } from 'vitest';
import { hasHosts } from '../hosts.ts';
import { killHosts } from './hosts.ts';

describe.skipIf(!hasHosts)(
  '[SCAL-01] the example of many hosts: Patroni, etcd, HAProxy, two of each role',
  () => {
    test('a killed web, ingest, or primary loses nothing, and callers notice only the primary', {
      timeout: 1_800_000,
    }, async () => {
      const { kills, ...report } = await killHosts({ victims: ['web', 'ingest', 'postgres'], seed: 1 });
      const [web, ingest, postgres] = kills;
      for (const kill of [web!, ingest!]) {
        expect(Object.keys(kill.visits)).toEqual(['204']);
        expect(Object.keys(kill.signIns)).toEqual(['200']);
        expect(Object.keys(kill.reads)).toEqual(['200']);
      }
      // Visits are kept by the ingests until there is a database again.
      expect(Object.keys(postgres!.visits)).toEqual(['204']);
      for (const answers of [postgres!.signIns, postgres!.reads])
        expect(Object.keys(answers).filter((status) => !['200', '503'].includes(status))).toEqual([]);
      expect(report.visits).toBeGreaterThan(30);
      expect(report).toMatchObject({
        lostVisits: [],
        twice: 0,
        leads: report.expected,
        wrongDebits: 0,
        unhelpful: 0,
        broken: [],
      });
    });
  },
);
