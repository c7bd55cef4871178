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
  RALPH_PROJECT: '/home/me/shop',
  RALPH_TOKEN: 'x',
  'A.B': 'x',
  AXB: 'x',
  UNSET: undefined,
};

describe('the environment', () => {
  it('the environment of an agent has what programs and Claude Code need, and nothing else', () => {
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

  it('the environment of a gate has no credentials of the agent', () => {
    expect(Object.keys(environmentFor('gate', ENV)).sort()).toEqual([
      'HOME',
      'HTTPS_PROXY',
      'LC_ALL',
      'NVM_DIR',
      'PATH',
      'RALPH_SESSION_ID',
    ]);
  });

  it('variables that the configuration names, by name or pattern, are passed, even a secret', () => {
    const passed = environmentFor('gate', ENV, ['DATABASE_URL', 'SHOP_*', 'PHP_*', 'A.B']);
    expect(passed).toMatchObject({ DATABASE_URL: 'x', SHOP_REGION: 'x', PHP_TOKEN: 'x', 'A.B': 'x' });
    expect(passed).not.toHaveProperty('AXB');
    expect(passed).not.toHaveProperty('GITHUB_TOKEN');
  });

  it('what leads to the state or into another session is passed by no configuration', () => {
    expect(environmentFor('agent', ENV, ['RALPH_*', 'RALPH_TOKEN'])).not.toHaveProperty('RALPH_TOKEN');
    expect(environmentFor('gate', ENV, ['RALPH_PROJECT'])).not.toHaveProperty('RALPH_PROJECT');
  });

  it('withheldVariables lists variables that a test may need and a gate does not get', () => {
    expect(withheldVariables(ENV, ['GITHUB_TOKEN'])).toEqual(['DATABASE_URL', 'PHP_TOKEN', 'RALPH_TOKEN']);
  });
});
