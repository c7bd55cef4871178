// The adapter of Qwen Code. It tells tokens but no cost. It could limit its turns, but would not say so in its stream: Ralph counts.
import { join } from 'node:path';
import {
  type Agent,
  type AgentSettings,
  type Launch,
  type Launchable,
  launchWithNames,
  type Observation,
} from './agent.ts';
import { geminiCommand, geminiServers, mergeSettings, withoutMentions } from './gemini-like.ts';
import { observeLine } from './observe-stream.ts';

const OWN = 'qwen';
const SETTINGS = 'settings.json';

export const qwen = (settings: AgentSettings): Agent => ({
  executable: 'qwen',
  needsServer: true,
  variables: ['OPENAI_*', 'QWEN_*', 'DASHSCOPE_*', 'BAILIAN_*', 'GEMINI_*'],
  ...launchWithNames((verb) => `mcp__ralph__${verb}`, launch(settings)),
  observe: (line) => observeLine(line).map(withOwnCount),
});

const launch =
  (settings: AgentSettings) =>
  (spec: Launchable, prompt: string, resumed: string | null): Launch => {
    const folder = join(spec.access.folder, OWN);
    // Without that, the model would have to search for the verbs.
    const servers = geminiServers(spec, (name) => ({ alwaysLoadTools: name === 'ralph' }));
    return {
      command: geminiCommand('qwen', spec, {
        editing: 'auto-edit',
        servers,
        more: [
          '--mcp-config',
          join(spec.access.folder, 'mcp.json'),
          ...(resumed === null ? [] : ['--resume', resumed]),
        ],
      }),
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
  };

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

/** Its tokens are those of the whole session, but its turns those of one process. */
const withOwnCount = (observation: Observation): Observation =>
  observation.kind === 'result'
    ? { ...observation, usage: { ...observation.usage, turns: null, cost_usd: null } }
    : observation;
