import { createSocket, type Socket } from 'node:dgram';

const TYPES: Record<number, 'A' | 'CNAME' | 'TXT' | 'AAAA'> = { 1: 'A', 5: 'CNAME', 16: 'TXT', 28: 'AAAA' };
type Kind = (typeof TYPES)[number];

/** A name server on loopback that serves what a test puts into it, and can stop responding or fail. */
export interface TestDns {
  /** 'name A' -> values. A name without any record does not exist. */
  records: Map<string, string[]>;
  set(kind: Kind, name: string, ...values: string[]): void;
  remove(kind: Kind, name: string): void;
  /** How it answers: normally, with SERVFAIL, or not at all. */
  mood: 'good' | 'failing' | 'silent';
  /** For DNS_SERVERS. */
  address: string;
  close(): Promise<void>;
}

export async function startDns(): Promise<TestDns> {
  const socket: Socket = createSocket('udp4');
  const records = new Map<string, string[]>();
  const dns: TestDns = {
    records,
    set: (kind, name, ...values) => void records.set(`${name} ${kind}`, values),
    remove: (kind, name) => void records.delete(`${name} ${kind}`),
    mood: 'good',
    address: '',
    close: () => new Promise((done) => socket.close(() => done())),
  };
  socket.on('message', (query, from) => {
    if (dns.mood === 'silent') return;
    const [name, end] = readName(query, 12);
    const kind = TYPES[query.readUInt16BE(end)];
    const question = query.subarray(12, end + 4);
    const answers: Buffer[] = [];
    let at = name.toLowerCase();
    const alias = records.get(`${at} CNAME`)?.[0];
    if (alias && kind !== 'TXT') {
      answers.push(answer(at, 'CNAME', alias));
      at = alias;
    }
    if (kind && kind !== 'CNAME')
      for (const value of records.get(`${at} ${kind}`) ?? []) answers.push(answer(at, kind, value));
    const isKnown = [...records.keys()].some((key) => key.startsWith(`${name.toLowerCase()} `));
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8580 | (dns.mood === 'failing' ? 2 : isKnown ? 0 : 3), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(dns.mood === 'failing' ? 0 : answers.length, 6);
    socket.send(
      Buffer.concat([head, question, ...(dns.mood === 'failing' ? [] : answers)]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  dns.address = `127.0.0.1:${socket.address().port}`;
  return dns;
}

function readName(packet: Buffer, start: number): [name: string, end: number] {
  const labels: string[] = [];
  let at = start;
  while (packet[at] !== 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + packet[at]!));
    at += packet[at]! + 1;
  }
  return [labels.join('.'), at + 1];
}

const nameOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

function answer(name: string, kind: Kind, value: string): Buffer {
  const data =
    kind === 'A'
      ? Buffer.from(value.split('.').map(Number))
      : kind === 'AAAA'
        ? Buffer.from(value.replaceAll(':', ''), 'hex')
        : kind === 'CNAME'
          ? nameOf(value)
          : Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(Number(Object.keys(TYPES).find((code) => TYPES[Number(code)] === kind)), 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(1, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameOf(name), fixed, data]);
}
