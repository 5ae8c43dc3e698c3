import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ROLES } from '../server/platform/config.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const settings = new Set(
  [...read('docs/operations.md').matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!),
  ),
);
/** Longer than the time that a process takes to stop by itself. */
const STOP_SECONDS = 25;

describe('[SCAL-01] what the product is shipped with', () => {
  const dockerfile = read('Dockerfile');
  const compose = parse(read('compose.yaml'));
  const folder = 'ops/kubernetes';
  interface Kubernetes {
    kind: string;
    metadata: { name: string };
    data?: Record<string, string>;
    stringData?: Record<string, string>;
    // biome-ignore lint/suspicious/noExplicitAny: as the file has it
    spec?: any;
  }
  const files = readdirSync(join(root, folder));
  const kubernetes = files
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) => parseAllDocuments(read(join(folder, name))).map((one) => one.toJS() as Kubernetes));
  const workloads = kubernetes.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

  test('the image runs as a user, by the entry that exists, and answers whether it lives', () => {
    expect(dockerfile).toMatch(/^USER lead$/m);
    const [, program, entry] = /^ENTRYPOINT \["([^"]+)", "([^"]+)"\]$/m.exec(dockerfile)!;
    for (const path of [program!, entry!]) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(dockerfile).toContain('/healthz');
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.git', 'data', 'node_modules']),
    );
  });

  test.each([
    ['compose.yaml', Object.keys(compose.services.lead.environment)],
    [
      'lead.env.example',
      [...read('ops/systemd/lead.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, n]) => n!),
    ],
    ['kubernetes', kubernetes.flatMap(({ data, stringData }) => Object.keys({ ...data, ...stringData }))],
    [
      'kubernetes, by role',
      workloads.flatMap(({ spec }) =>
        spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name),
      ),
    ],
  ])('%s names settings that exist', (_where, names) => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name: string) => !settings.has(name))).toEqual([]);
  });

  test('there is one workload for each role, which its readiness is asked about', () => {
    expect(workloads.map(({ metadata }) => metadata.name).sort()).toEqual([...ROLES].sort());
    for (const { metadata, spec } of workloads) {
      const [container] = spec.template.spec.containers;
      expect(container.env.find(({ name }: { name: string }) => name === 'ROLES').value).toBe(metadata.name);
      expect(container.readinessProbe.httpGet.path).toBe(`/readyz?role=${metadata.name}`);
      expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    }
    const resources: string[] = parse(read(join(folder, 'kustomization.yaml'))).resources;
    expect(resources.toSorted()).toEqual(
      files.filter((name) => !['kustomization.yaml', 'secret.example.yaml'].includes(name)).toSorted(),
    );
  });

  test('the visits that an ingest has acknowledged are on a disk of its own', () => {
    const ingest = workloads.find(({ metadata }) => metadata.name === 'ingest')!;
    expect(ingest.kind).toBe('StatefulSet');
    expect(ingest.spec.volumeClaimTemplates[0].metadata.name).toBe('data');
    expect(ingest.spec.template.spec.containers[0].volumeMounts).toEqual([
      { name: 'data', mountPath: '/data' },
    ]);
  });

  test('everything waits longer for a stop than the product takes for it', () => {
    const unit = read('ops/systemd/lead@.service');
    const waits = [
      Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]),
      Number(/^(\d+)s$/.exec(compose.services.lead.stop_grace_period)![1]),
      ...workloads.map(({ spec }) => spec.template.spec.terminationGracePeriodSeconds as number),
    ];
    for (const seconds of waits) expect(seconds).toBeGreaterThan(STOP_SECONDS);
  });
});
