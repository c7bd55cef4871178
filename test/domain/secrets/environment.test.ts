import { describe, expect, it } from 'vitest';
import { environmentFor, withheldVariables } from '../../../src/domain/secrets/environment.ts';

const ENV = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C',
  NVM_DIR: '/home/me/.nvm',
  PHP_TOKEN: 'x',
  HTTPS_PROXY: 'http://me:pw@proxy:1',
  ANTHROPIC_API_KEY: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  DATABASE_URL: 'x',
  SHOP_REGION: 'x',
  GITHUB_TOKEN: 'x',
  RALPH_SESSION_ID: 's',
  'A.B': 'x',
  AXB: 'x',
  UNSET: undefined,
};

describe('the environment', () => {
  it('of an agent has what programs and Claude Code need, and nothing else', () => {
    expect(Object.keys(environmentFor('agent', ENV)).sort()).toEqual([
      'ANTHROPIC_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'HOME',
      'HTTPS_PROXY',
      'LC_ALL',
      'NVM_DIR',
      'PATH',
      'RALPH_SESSION_ID',
    ]);
  });

  it('of a gate does not have what logs the agent in', () => {
    expect(Object.keys(environmentFor('gate', ENV)).sort()).toEqual([
      'HOME',
      'HTTPS_PROXY',
      'LC_ALL',
      'NVM_DIR',
      'PATH',
      'RALPH_SESSION_ID',
    ]);
  });

  it('has besides what the configuration names, by name or by pattern, also a secret', () => {
    const passed = environmentFor('gate', ENV, ['DATABASE_URL', 'SHOP_*', 'PHP_*', 'A.B']);
    expect(passed).toMatchObject({ DATABASE_URL: 'x', SHOP_REGION: 'x', PHP_TOKEN: 'x', 'A.B': 'x' });
    expect(passed).not.toHaveProperty('AXB');
    expect(passed).not.toHaveProperty('GITHUB_TOKEN');
  });

  it('is told from what it holds back and a test may need', () => {
    expect(withheldVariables(ENV, ['GITHUB_TOKEN'])).toEqual(['DATABASE_URL', 'PHP_TOKEN']);
  });
});
