import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelHosts, projectHosts } from '../../../src/host/sandbox/known-hosts.ts';
import { tempDir } from '../../support/temp.ts';

it('the hosts of lock files and settings are known, without logins and loopback', () => {
  const [root, home] = [tempDir(), tempDir()];
  const lock = { packages: { a: { resolved: 'https://packages.example.org:8443/a.tgz' } } };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(join(root, 'requirements.txt'), '--index-url https://user:pass@pip.example.org/simple\n');
  writeFileSync(join(root, '.npmrc'), 'registry=http://localhost:4873/\nproxy=http://127.0.0.1:8080/\n');
  writeFileSync(join(home, '.npmrc'), '//own.example.org/:_authToken=x\n');
  expect(projectHosts(root, { HOME: home, GOPROXY: 'https://go.example.org' })).toEqual([
    ...['packages.example.org:8443', 'pip.example.org', 'own.example.org', 'go.example.org'],
  ]);
});

it('the address of the model is that of the variable, or that of the client', () => {
  expect(modelHosts({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/v1' })).toEqual(['127.0.0.1:4000']);
  expect(modelHosts({ ANTHROPIC_BASE_URL: 'https://gateway.example.com' })).toEqual([
    'gateway.example.com:443',
  ]);
  expect(modelHosts({})).toContain('api.anthropic.com');
});
