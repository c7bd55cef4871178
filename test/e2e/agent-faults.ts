// What every agent is tried with, one row each.
import type { RealAgent } from '../support/agents.ts';
import type { Turn } from '../support/scripted-model.ts';
import { say } from './fault.ts';

export type AgentFault = {
  name: string;
  /** Whether `npm test` plays it, too: what an agent must be able to do. The others show an agent's error, or more of Ralph. */
  isForTests?: true;
  /** What the model says and does. */
  turns: (agent: RealAgent) => Turn[];
  config?: string;
  /** What the person is told. */
  says?: string;
};

const write = ({ shell }: RealAgent): Turn => shell('echo hello > hello.txt');
const done = ({ verb }: RealAgent): Turn => verb('done', { summary: 'hello.txt says hello.' });

export const AGENT_FAULTS: readonly AgentFault[] = [
  { name: 'does its task and says done', turns: (agent) => [write(agent), done(agent), say('Finished.')] },
  {
    name: 'says done while the gate fails',
    turns: (agent) => [agent.shell('echo draft > draft.txt'), done(agent), say('Finished.')],
  },
  {
    name: 'forgets its verb, and says it when asked',
    isForTests: true,
    turns: (agent) => [write(agent), say('Finished.'), done(agent), say('Finished.')],
  },
  {
    name: 'crashes at turn 2',
    turns: (agent) => [write(agent), agent.shell('kill -9 $PPID'), say('Finished.')],
  },
  { name: 'usage limit', turns: () => [{ status: 429, code: 'usage_limit_reached' }] },
  { name: 'wrong key', turns: () => [{ status: 401 }] },
  {
    name: 'hangs silently',
    turns: () => [{ silence: true }],
    config: 'limits: { idle_seconds: 8 }\n',
  },
];
