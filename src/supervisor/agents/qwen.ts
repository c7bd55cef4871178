// The adapter of Qwen Code. It tells tokens but no cost. It could limit its turns, but would not say so in its stream: Ralph counts.
import { join } from 'node:path';
import type { Agent, AgentSettings, Launch, Launchable, Observation } from './agent.ts';
import { withoutMentions } from './mentions.ts';
import { mergeSettings } from './merge-settings.ts';
import { observeLine } from './observe-stream.ts';
import { verbNames } from './verb-names.ts';

const OWN = 'qwen';
const SETTINGS = 'settings.json';

export const qwen = (settings: AgentSettings): Agent => ({
  executable: 'qwen',
  needsServer: true,
  variables: ['OPENAI_*', 'QWEN_*', 'DASHSCOPE_*', 'BAILIAN_*', 'GEMINI_*'],
  launch: (spec) => launch(spec, settings, `${NAMES}\n\n${spec.system}\n${spec.prompt}`),
  resume: (spec, id, prompt) => launch(spec, settings, `${NAMES} ${prompt}`, ['--resume', id]),
  observe: (line) => observeLine(line).map(withOwnCount),
});

const NAMES = verbNames((verb) => `mcp__ralph__${verb}`);

const APPROVAL: Readonly<Record<string, string>> = {
  bypassPermissions: 'yolo',
  acceptEdits: 'auto-edit',
  plan: 'plan',
};

function launch(
  spec: Launchable,
  settings: AgentSettings,
  prompt: string,
  resumed: readonly string[] = [],
): Launch {
  const folder = join(spec.access.folder, OWN);
  const servers = serversFor(spec);
  return {
    command: [
      'qwen',
      '--output-format',
      'stream-json',
      '--approval-mode',
      APPROVAL[spec.permissions] ?? 'default',
      '--mcp-config',
      join(spec.access.folder, 'mcp.json'),
      // Servers in files of the project would count that nobody has trusted.
      '--allowed-mcp-server-names',
      ...Object.keys(servers),
      ...(spec.model === null ? [] : ['--model', spec.model]),
      ...resumed,
    ],
    env: {
      // Its own folder, so that nothing of the person's settings counts.
      QWEN_HOME: folder,
      // Before the settings in files of the project.
      QWEN_CODE_SYSTEM_SETTINGS_PATH: join(folder, SETTINGS),
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      // It would start itself a second time, with more memory.
      QWEN_CODE_NO_RELAUNCH: 'true',
    },
    stdin: withoutMentions(prompt),
    files: {
      [join(OWN, SETTINGS)]: JSON.stringify(mergeSettings(DEFAULTS, settings)),
      'mcp.json': JSON.stringify({ mcpServers: servers }),
    },
    ownFolder: OWN,
  };
}

/** `agent_settings` may say otherwise. */
const DEFAULTS: AgentSettings = {
  $version: 3,
  security: { auth: { selectedType: 'openai' } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  disableAllHooks: true,
  // Requests that no task asks for.
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  // Otherwise it waits for up to an hour at a limit, where Ralph would tell the person.
  model: { generationConfig: { maxRetries: 3 } },
  // A session ends with its answer, and Ralph decides where it works.
  tools: { exclude: ['cron_create', 'loop_wakeup', 'enter_worktree'] },
};

/** Ralph's own server comes last: no other server may take its name. */
const serversFor = (spec: Launchable): Record<string, object> =>
  Object.fromEntries(
    Object.entries({ ...spec.mcpServers, ralph: spec.access.server }).map(
      ([name, { command, args, env }]) => [
        name,
        // Without the last, the model would have to search for the verbs. The gates of a verb may take long.
        { command, args, env, trust: true, timeout: 3_600_000, alwaysLoadTools: name === 'ralph' },
      ],
    ),
  );

/** Its tokens are those of the whole session, but its turns those of one process. */
const withOwnCount = (observation: Observation): Observation =>
  observation.kind === 'result'
    ? { ...observation, usage: { ...observation.usage, turns: null, cost_usd: null } }
    : observation;
