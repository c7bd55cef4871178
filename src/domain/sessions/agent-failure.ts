// The faults that can keep an agent from working, one row each. Every judgement of a session's end uses this table.
import { findKnownAgent } from './agent-names.ts';
import { type AgentPlace, chooseAnotherText } from './choose-agent.ts';

/**
 * The client's name for the error and the API's HTTP status; null if unknown. `isPlan`: whether the login is a subscription;
 * absent if unknown.
 */
export type Symptom = { error: string | null; status: number | null; isPlan?: boolean };

/** `command`: what the person types after the repair. `detail`: the agent's own message. `place`: where the agent was chosen. */
type FailureContext = {
  agent: string;
  command: string;
  detail: string | null;
  place?: AgentPlace | null;
};

type AgentFailure = {
  /** Uses only structured fields of the client. Ralph never searches the words of a model. */
  recognises(symptom: Symptom): boolean;
  /** `if_answered`: the task is charged only if the model has answered before. */
  charged: 'never' | 'if_answered';
  /**
   * `stop`: a person must act before this agent can work. `limit`: passes at a time that the client may announce. `overload`:
   * passes by itself, as a rule within minutes. `outage`: passes by itself, but may take longer.
   */
  policy: 'stop' | 'limit' | 'overload' | 'outage';
  /** Where a person must act: so many sessions in a row may end like this before that counts, for a process may have been killed. */
  tolerated: number;
  exit_code: 12 | 13;
  words: string;
  sentence(context: FailureContext): string;
};

const never = (): boolean => false;
const isAny = (error: string | null, names: readonly string[]): boolean =>
  error !== null && names.includes(error);
const detailText = (detail: string | null): string => (detail === null ? '' : ` (it says: ${detail})`);

const installText = (agent: string): string => {
  const knownAgent = findKnownAgent(agent);
  return knownAgent === null ? 'install it' : `install it with ${knownAgent.install}`;
};

const charged = 'never';
const stops = { charged, policy: 'stop', tolerated: 0, exit_code: 13 } as const;
/** What a client says when the processes between it and Ralph are killed, and also if they never work. */
const TOLERATED = 2;

/** The first row that recognises a symptom wins, so the order matters. */
const TABLE = {
  overloaded: {
    charged,
    policy: 'overload',
    tolerated: 0,
    exit_code: 12,
    recognises: ({ error, status }) => status === 529 || error === 'overloaded',
    words: 'the model is overloaded',
    sentence: ({ command, detail }) =>
      `The model is overloaded${detailText(detail)}; run ${command} again later.`,
  },
  // A key that is billed by request may send so many requests a minute; a subscription may use so much in some hours.
  rate_limit: {
    charged,
    policy: 'limit',
    tolerated: 0,
    exit_code: 12,
    recognises: ({ error, status, isPlan }) => isPlan === false && (status === 429 || error === 'rate_limit'),
    words: 'rate limit',
    sentence: ({ agent, command, detail }) =>
      `The API limits how much the agent "${agent}" may send at a time${detailText(detail)}; run ${command} again later.`,
  },
  usage_limit: {
    charged,
    policy: 'limit',
    tolerated: 0,
    exit_code: 12,
    recognises: ({ error, status }) => status === 429 || isAny(error, ['rate_limit', 'usage_limit']),
    words: 'usage limit',
    sentence: ({ agent, command }) =>
      `The agent "${agent}" has reached its usage limit; run ${command} again later.`,
  },
  no_credit: {
    ...stops,
    recognises: ({ error, status }) => status === 402 || error === 'billing_error',
    words: 'no credit left',
    sentence: ({ agent, command, detail }) =>
      `The account of the agent "${agent}" has no credit left${detailText(detail)}. Buy some or use another account, then run ${command} again.`,
  },
  forbidden: {
    ...stops,
    recognises: ({ error, status }) =>
      status === 403 || isAny(error, ['oauth_org_not_allowed', 'account_on_hold', 'verification_required']),
    words: 'access denied',
    sentence: ({ agent, command, detail }) =>
      `The agent "${agent}" was denied access${detailText(detail)}. Check its key, its account and any proxy, then run ${command} again.`,
  },
  not_logged_in: {
    ...stops,
    recognises: ({ error, status }) =>
      status === 401 || isAny(error, ['authentication_failed', 'cloud_credential_error']),
    words: 'not logged in',
    sentence: ({ agent, command, detail }) =>
      `The agent "${agent}" is not logged in${detailText(detail)}. ${findKnownAgent(agent)?.login ?? 'Log in with it once'}, then run ${command} again.`,
  },
  no_model: {
    ...stops,
    recognises: ({ error, status }) => status === 404 || error === 'model_not_found',
    words: 'no such model',
    sentence: ({ agent, command, detail }) =>
      `The agent "${agent}" cannot use its model${detailText(detail)}. Choose another with --model or in .ralph/config.yaml, then run ${command} again.`,
  },
  server_error: {
    charged,
    policy: 'outage',
    tolerated: 0,
    exit_code: 12,
    recognises: ({ status }) => status === 408 || (status !== null && status >= 500),
    words: 'the API fails',
    sentence: ({ command, detail }) => `The API fails${detailText(detail)}; run ${command} again later.`,
  },
  unreachable: {
    charged,
    policy: 'outage',
    tolerated: 0,
    exit_code: 12,
    // The client uses one name, without a status, for refused, unknown, untrusted and silent hosts.
    recognises: ({ error, status }) => error === 'server_error' && status === null,
    words: 'the API cannot be reached',
    sentence: ({ command, detail }) =>
      `The API cannot be reached${detailText(detail)}; check the network, then run ${command} again.`,
  },
  rejected: {
    charged: 'if_answered',
    policy: 'stop',
    tolerated: 0,
    exit_code: 13,
    recognises: ({ error, status }) =>
      (status !== null && status >= 400) || isAny(error, ['invalid_request', 'unknown']),
    words: 'the API refuses the request',
    sentence: ({ agent, command, detail }) =>
      `The API refuses what the agent "${agent}" sends${detailText(detail)}. ralph log shows the session; correct the cause, then run ${command} again.`,
  },
  mcp_lost: {
    ...stops,
    tolerated: TOLERATED,
    recognises: never,
    words: 'no connection to Ralph',
    sentence: ({ agent, detail }) =>
      `The agent "${agent}" could not reach Ralph's MCP server${detailText(detail)}; ralph doctor looks for the reason.`,
  },
  cannot_start: {
    ...stops,
    recognises: never,
    words: 'the agent could not be started',
    sentence: ({ agent, detail, place = null }) =>
      `The agent "${agent}" cannot be started (${detail ?? 'for an unknown reason'}); ${installText(agent)}, or ${chooseAnotherText(place)}.`,
  },
  no_agent: {
    ...stops,
    recognises: never,
    words: 'no agent has this name',
    sentence: ({ agent, place = null }) =>
      `There is no agent "${agent}"; define it below agents: in .ralph/config.yaml, or ${chooseAnotherText(place)}.`,
  },
  agent_failed: {
    ...stops,
    tolerated: TOLERATED,
    recognises: never,
    words: 'the agent failed before it told Ralph anything',
    sentence: ({ agent, command, detail }) =>
      `The agent "${agent}" ended with an error before it told Ralph anything, and no task was charged${detailText(detail)}. Correct the cause, then run ${command} again.`,
  },
  agent_killed: {
    charged,
    policy: 'outage',
    tolerated: 0,
    exit_code: 12,
    recognises: never,
    words: 'the agent was killed before it told Ralph anything',
    sentence: ({ agent, command, detail }) =>
      `The agent "${agent}" was killed before it told Ralph anything${detailText(detail)}; check the memory of this machine, then run ${command} again.`,
  },
} satisfies Record<string, AgentFailure>;

export type AgentFault = keyof typeof TABLE;

export const AGENT_FAILURES: Readonly<Record<AgentFault, AgentFailure>> = TABLE;

export const AGENT_FAULTS = Object.keys(TABLE) as AgentFault[];

/** Null if the symptom is not a fault of the infrastructure, such as an answer that is too long. */
export const recogniseFault = (symptom: Symptom): AgentFault | null =>
  AGENT_FAULTS.find((fault) => AGENT_FAILURES[fault].recognises(symptom)) ?? null;

/** Null if the fault is not one of an agent. */
export const findFailure = (fault: string | null): AgentFailure | null =>
  fault !== null && Object.hasOwn(TABLE, fault) ? AGENT_FAILURES[fault as AgentFault] : null;
