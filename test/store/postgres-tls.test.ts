// Real TLS connections: a proxy before the server of the tests, which has no TLS itself.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { readMetadata } from '../../src/store/metadata.ts';
import { openStore } from '../../src/store/open.ts';
import { testDatabase } from '../support/postgres.ts';
import { tempDir } from '../support/temp.ts';

/** A host that is no loopback by its name, and nevertheless this machine. Only for it the certificate is made. */
const HOST = '0.0.0.0';
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

type Certificate = { key: string; cert: string };

/** Signed by itself, so it is its own authority. */
function makeCertificate({ skip }: Pick<TestContext, 'skip'>): Certificate {
  const folder = tempDir();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=ralph test', '-addext', `subjectAltName=IP:${HOST}`, '-days', '2'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const made = spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert]);
  if (made.error !== undefined) {
    const sentence = 'There is no openssl here: no TLS connection was tried.';
    if (process.env['CI']) throw new Error(sentence);
    skip(sentence);
  }
  expect(made.status).toBe(0);
  return { key, cert };
}

/** Answers as a PostgreSQL with TLS does. `received`: how many bytes it has passed on to the real one. */
async function startProxy(
  target: number,
  { key, cert }: Certificate,
): Promise<{ port: number; received: () => number }> {
  let received = 0;
  const sockets = new Set<Socket>();
  const secret = { key: readFileSync(key), cert: readFileSync(cert) };
  const proxy = createServer((plain) => {
    const server = connect(target, '127.0.0.1');
    for (const socket of [plain, server]) sockets.add(socket.on('error', () => {}));
    plain.once('data', (request) => {
      expect(request).toEqual(SSL_REQUEST);
      plain.write('S');
      const client = new TLSSocket(plain, { isServer: true, ...secret });
      client.on('error', () => server.destroy());
      client.on('data', (chunk) => {
        received += chunk.length;
      });
      client.pipe(server).pipe(client);
    });
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { port: (proxy.address() as AddressInfo).port, received: () => received };
}

it('a connection to another host is encrypted, and its certificate must be known and be that of the host', async (context) => {
  const certificate = makeCertificate(context);
  const url = new URL(await testDatabase());
  const proxy = await startProxy(Number(url.port), certificate);
  const open = async (host: string, port: number | string, more: Record<string, string>): Promise<string> => {
    const place = new URL(url);
    place.host = `${host}:${port}`;
    for (const [name, value] of Object.entries(more)) place.searchParams.set(name, value);
    const store = await openStore(place.href, { via: null });
    const metadata = await store.read(readMetadata).finally(() => store.close());
    return JSON.stringify(metadata);
  };
  const known = { sslrootcert: certificate.cert };

  await expect(open(HOST, url.port, known)).rejects.toThrow(/offers no TLS/);
  await expect(open(HOST, proxy.port, {})).rejects.toThrow(
    /cannot be verified for 0\.0\.0\.0; .*sslrootcert/,
  );
  for (const host of ['127.0.0.1', 'localhost'])
    await expect(open(host, proxy.port, { ...known, sslmode: 'verify-full' })).rejects.toThrow(
      `cannot be verified for ${host}`,
    );
  // No login was sent to a server that was not verified.
  expect(proxy.received()).toBe(0);
  expect(await open(HOST, proxy.port, known)).toBe('{}');
  expect(proxy.received()).toBeGreaterThan(0);
});
