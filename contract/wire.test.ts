import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnySchema } from '@orpc/contract';
import { expect, test } from 'vitest';
import { SETTINGS } from './accounts/settings.ts';
import { CAMPAIGN_SORTS, CLIENT_SORTS, COMPANY_SORTS, KEYWORD_COUNT_SORTS } from './choices.ts';
import { contract, inputs } from './index.ts';
import { insideName, WIRE } from './wire.ts';
import { eachPart, toInside, toWire, wireNames } from './wire-schema.ts';

const schemas: [where: string, schema: AnySchema][] = [
  ...Object.entries(contract).flatMap(([feature, calls]) =>
    Object.entries(calls).flatMap(([name, call]) => {
      const { inputSchema, outputSchema } = call['~orpc'];
      return [
        ...(inputSchema ? [[`${feature}.${name} takes`, inputSchema] as [string, AnySchema]] : []),
        ...(outputSchema ? [[`${feature}.${name} gives`, outputSchema] as [string, AnySchema]] : []),
      ];
    }),
  ),
  ...Object.entries(inputs).map(([name, schema]): [string, AnySchema] => [`${name} takes`, schema]),
  ...Object.entries(SETTINGS).map(([name, schema]): [string, AnySchema] => [`setting ${name}`, schema]),
];

/** The names of the standard that browsers and authenticators follow; they are passed on as they are. */
const WEBAUTHN = ['rawId', 'clientDataJSON', 'authenticatorData', 'userHandle', 'attestationObject'];
/** What the specification calls fees and terms in the agency costs: data, of which COST_FIELDS says what it is. */
const COSTS =
  /^([A-Z][a-z0-9]+(PlatformFee|MinCostMonth|Costperlead(Advanced|Company)?)|Weekly|Monthly|OneTime|Prepaid)$/;

test('[WIRE-04] every name inside is made like that of a column, and is not one of the wire', () => {
  const used = new Set<string>();
  const strange = new Set<string>();
  for (const [, schema] of schemas)
    eachPart(schema, ({ fields, values }) => {
      for (const value of values) used.add(value);
      for (const wire of fields.keys()) {
        used.add(wire);
        const inside = insideName(wire);
        if (Object.hasOwn(WIRE, inside)) strange.add(inside);
        if (
          !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(inside) &&
          !WEBAUTHN.includes(inside) &&
          !COSTS.test(inside)
        )
          strange.add(inside);
      }
    });
  expect([...strange]).toEqual([]);
  expect(Object.keys(WIRE).filter((wire) => !used.has(wire) && !(insideName(wire) in SETTINGS))).toEqual([]);
});

test('[WIRE-04] one name inside is one name of the wire: within an object, and within what a call takes', () => {
  const twice: string[] = [];
  for (const [where, schema] of schemas) {
    eachPart(schema, ({ fields }) => {
      const names = Map.groupBy(fields.keys(), insideName);
      for (const [inside, wire] of names) if (wire.length > 1) twice.push(`${where} ${inside}: ${wire}`);
    });
    if (where.endsWith('takes')) expect(() => wireNames(schema)).not.toThrow();
  }
  expect(twice).toEqual([]);
});

test('[WIRE-04] where the keys of a field are data, no field of that name has names to convert', () => {
  const open = new Set<string>();
  const named = new Set<string>();
  for (const [, schema] of schemas)
    eachPart(schema, ({ fields, isOpen }, field) => {
      if (field === undefined) return;
      if (isOpen) open.add(field);
      if ([...fields.keys()].some((name) => insideName(name) !== name)) named.add(field);
    });
  expect([...open].filter((field) => named.has(field))).toEqual([]);
});

test('what lists can be sorted by is called as the rows are', () => {
  const sortsOf = ({ '~orpc': { inputSchema } }: { '~orpc': { inputSchema?: AnySchema | undefined } }) => {
    const found = new Set<string>();
    eachPart(inputSchema!, ({ values }, field) => {
      if (field === 'sortby') for (const value of values) found.add(insideName(value));
    });
    return found;
  };
  expect(sortsOf(contract.campaigns.list)).toEqual(new Set(CAMPAIGN_SORTS));
  expect(sortsOf(contract.signals.history)).toEqual(new Set(KEYWORD_COUNT_SORTS));
  expect(sortsOf(contract.analytics.clients)).toEqual(new Set(CLIENT_SORTS));
  expect(sortsOf(contract.companies.list)).toEqual(new Set(COMPANY_SORTS));
});

test('values are converted by their schema, and back', () => {
  const { inputSchema, outputSchema } = contract.settings.save['~orpc'];
  const given = { companyID: 'c', comsetname: 'secondfactor', comsetval: { people: true } };
  expect(toInside(inputSchema!, given)).toEqual({
    company_id: 'c',
    setting: 'second_factor',
    value: { people: true },
  });
  const answer = {
    data: {
      company_id: 'c',
      settingname: 'rootAgencyEmbeddedCode',
      data: { placeEmbedded: 'head', embeddedcode: '<b>' },
    },
  };
  const inside = {
    data: { company_id: 'c', setting: 'embed_code', data: { place: 'head', code: '<b>' } },
  };
  expect(toInside(outputSchema!, answer)).toEqual(inside);
  expect(toWire(outputSchema!, inside)).toEqual(answer);
  // The keys of a record are data, whatever they are called.
  const { outputSchema: destinations } = contract.delivery.list['~orpc'];
  const list = { data: [{ leadspeekID: 'l', mapping: { companyID: 'phone' } }] };
  expect(toInside(destinations!, list)).toEqual({
    data: [{ campaign_id: 'l', mapping: { companyID: 'phone' } }],
  });
});

/**
 * Names of the wire that are also ordinary words of programs, where the compiler knows those that are fields, or parts
 * of addresses that people have.
 */
const WORDS = [
  'companyname',
  'Page',
  'Exclude',
  'Filters',
  'msg',
  'filename',
  'timezone',
  'roleModule',
  'jobProgress',
  'getType',
  'isBeta',
  'userID',
  'refcode',
];
const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

test('[WIRE-04] no name of the wire is known outside the contract, except where HTTP is spoken', () => {
  const foreign = new Set(
    Object.keys(WIRE).filter((wire) => !WORDS.includes(wire) && camel(insideName(wire)) !== wire),
  );
  expect(foreign.size).toBeGreaterThan(180);
  const root = join(import.meta.dirname, '..');
  const files = globSync(['server/**/*.ts', 'web/**/*.{ts,tsx}', 'scripts/**/*.ts', 'demo/**/*.ts'], {
    cwd: root,
  });
  expect(files.length).toBeGreaterThan(700);
  const found = files
    .filter((file) => !/\.test\.tsx?$|\/samples\.ts$|^server\/test\/|^scripts\/screens/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?<![\w$])[A-Za-z_$][\w$]*/g)]
        .filter(([word]) => foreign.has(word))
        .map(([word]) => `${file}: ${word}`),
    );
  expect(found).toEqual([]);
});
