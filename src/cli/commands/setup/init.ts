import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { refuseSession, requirePerson } from '../../../app/definitions/consent.ts';
import { readTrust, recordTrust } from '../../../app/definitions/trust.ts';
import { sync, withLostQueue } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { plural } from '../../../domain/text/text.ts';
import { gateLine, setupLine } from '../../../domain/trust.ts';
import { writeFileWhole } from '../../../files/write-file.ts';
import type { Hooks } from '../../../host/gates/hooks.ts';
import { findStateDir, requireFolder, requireInside } from '../../../host/project.ts';
import { readRepository } from '../../../project/init/repository.ts';
import { suggestDisciplines } from '../../../project/init/suggest-disciplines.ts';
import { type SuggestedGate, suggestGates } from '../../../project/init/suggest-gates.ts';
import { type SuggestedSetup, suggestSetup } from '../../../project/init/suggest-setup.ts';
import { CONFIG_FILE, readConfig } from '../../../project/read-config.ts';
import { defineCommand } from '../../command.ts';
import { decideOnQueue } from '../../init/decide-on-queue.ts';
import { FORMER_CONFIG, MCP_CONFIG, readMcpConfig, writeMcpConfig } from '../../init/mcp-config.ts';
import { findMissing, hooksText, type Missing, repositoryHooks, wantsHooks } from '../../init/missing.ts';
import { NO_BACKLOGS, offerBacklogs } from '../../init/offer-backlogs.ts';
import { chooseGates, PERMISSIONS, requireOwnPlace, wantsOthers } from '../../init/questions.ts';

export const init = defineCommand<[], { yes?: boolean; newQueue?: boolean }>({
  name: 'init',
  summary: 'set Ralph up in this repository',
  group: 'Set up',
  options: [
    new Option('--yes', 'do not ask'),
    new Option('--new-queue', 'start an empty queue, although a journal or commits show earlier sessions'),
  ],
  examples: ['ralph init', 'ralph init --project ../webshop --yes', 'ralph init --yes --new-queue'],
  run: async (context, _, { yes = false, newQueue = false }) => {
    const root = projectRoot(context);
    // Before a file is written; what only the queue can tell is asked below.
    refuseSession(context, root, 'sets a project up');
    await requireOwnPlace(context, root, yes);
    const repository = readRepository(root);
    const found = suggestGates(repository);
    const setup = suggestSetup(repository);
    const disciplines = suggestDisciplines(repository);
    const names = disciplines.map(({ name }) => name);
    const { initialFiles, withHooks } = await import('../../../project/init/initial-files.ts');
    const filesWith = (gates: readonly SuggestedGate[]) => initialFiles(root, repository, gates, disciplines);
    // The older layout defines everything in .ralph/db: beside it only the configuration is missing.
    const isOlder = existsSync(join(root, '.ralph', 'db'));
    const wanted = [...filesWith(found).keys()].filter((file) => !isOlder || file === CONFIG_FILE);
    const written = wanted.filter((file) => !existsSync(join(root, file)));
    const existing = wanted.filter((file) => !written.includes(file));
    // Before anything is written: it may refuse.
    const mcpConfig = await readMcpConfig(root, context.program);
    const isAsked = !yes && written.length > 0;
    const gates = isAsked ? await chooseGates(context, root, found, names) : found;
    const files = filesWith(gates);
    const hooks = await repositoryHooks(context, root);
    const runsHooks = !yes && written.includes(CONFIG_FILE) && (await wantsHooks(context, hooks));
    if (runsHooks) files.set(CONFIG_FILE, withHooks(files.get(CONFIG_FILE) ?? ''));
    const keepsOthers = !yes && (await wantsOthers(context, mcpConfig));
    const left = keepsOthers ? [] : mcpConfig.others;
    const text = mcpConfig.text(keepsOthers);

    requireInside(root);
    mkdirSync(join(root, '.ralph'), { recursive: true });
    for (const file of written) await writeFileWhole(join(root, file), files.get(file) ?? '');
    if (text !== mcpConfig.current) {
      await writeMcpConfig(root, text, left.length > 0 ? mcpConfig.current : null);
      written.push(MCP_CONFIG);
    }
    const { trusted, queue, backlogs } = await withLostQueue(
      { ...context, project: root },
      async (project) => {
        await requirePerson(context, project, 'sets a project up');
        const queue = await decideOnQueue({ ...context, cwd: root }, project, { yes, newQueue });
        if (queue.isDecided) await sync(project);
        // Trust only what init itself wrote: an existing configuration may have come with the clone.
        const { lines, executable, trusted: already } = await readTrust(context, project);
        const own = [...gates.map(gateLine), ...(setup === null ? [] : [setupLine(setup.command)])];
        const isOwnConfig = written.includes(CONFIG_FILE) && executable.join('\n') === own.join('\n');
        if (isOwnConfig) await recordTrust(context, project, lines);
        const backlogs = queue.isDecided
          ? await offerBacklogs({ ...context, cwd: root }, project, {
              yes,
              isNewConfig: written.includes(CONFIG_FILE),
            })
          : NO_BACKLOGS;
        return { trusted: already || isOwnConfig, queue, backlogs };
      },
    );
    const { agent, gates: configured } = await readConfig(root);
    const missing = await findMissing({ root, repository, env: context.env }, agent, configured);
    return {
      json: {
        root,
        written,
        kept: existing,
        gates,
        setup,
        disciplines: names,
        trusted,
        state: findStateDir(root),
        queue: queue.kind,
        backlogs: backlogs.found,
        missing,
        hooks: hooks?.found.map(({ name }) => name) ?? [],
      },
      text: [
        initText({
          written,
          kept: existing,
          gates,
          setup,
          names,
          trusted,
          left,
          missing,
          hooks: await hooksLine(root, hooks),
        }),
        ...queue.lines,
        ...backlogs.lines,
        ...nextLines(written, backlogs.found.length > 0),
      ].join('\n'),
    };
  },
});

function projectRoot({ project, cwd }: CommandContext): string {
  const root = resolve(cwd, project);
  requireFolder(root);
  return realpathSync(root);
}

function initText(done: {
  written: string[];
  kept: string[];
  gates: readonly SuggestedGate[];
  setup: SuggestedSetup | null;
  names: readonly string[];
  trusted: boolean;
  /** Entries that init removed from ralph.json. */
  left: readonly string[];
  missing: readonly Missing[];
  hooks: string | null;
}): string {
  const { written, kept, gates, setup, names, trusted, left, missing, hooks } = done;
  const lacks =
    missing.length === 0 ? [] : ['Missing:', ...missing.map(({ what, fix }) => `  ${what}: ${fix}`)];
  if (written.length === 0)
    return ['Ralph is set up here already; nothing was changed.', ...lacks].join('\n');
  return [
    `Wrote ${written.join(', ')}.`,
    ...(kept.length > 0 ? [`Kept ${kept.join(', ')} as ${kept.length === 1 ? 'it was' : 'they were'}.`] : []),
    ...(written.includes(CONFIG_FILE) ? [gatesText(gates), ...setupLines(setup)] : []),
    ...(written.includes('.ralph/disciplines.yaml')
      ? [`${plural(names.length, 'discipline')}: ${names.join(', ')}`]
      : []),
    ...(hooks === null ? [] : [`Hooks: ${hooks}`]),
    ...(written.includes(CONFIG_FILE)
      ? [
          PERMISSIONS,
          '  A sandbox keeps them to the project where one works; ralph doctor says whether it does.',
        ]
      : []),
    ...(trusted ? [] : ['This repository brings commands of its own; look at them with: ralph trust']),
    ...(left.length > 0
      ? [
          `${left.length === 1 ? '1 other entry' : `${left.length} other entries`} of ${MCP_CONFIG} left out; ${FORMER_CONFIG} is the file as it was. On a terminal, ralph init asks whether to keep them.`,
        ]
      : []),
    ...lacks,
  ].join('\n');
}

function nextLines(written: readonly string[], hasBacklog: boolean): string[] {
  if (written.length === 0) return [];
  return [
    ...(hasBacklog ? [] : ['Next: ralph add "What is to be done"']),
    ...(written.includes(MCP_CONFIG) ? [`In Claude Code: claude --mcp-config ${MCP_CONFIG}`] : []),
  ];
}

const hooksLine = async (root: string, hooks: Hooks | null): Promise<string | null> =>
  hooks === null ? null : hooksText(hooks, await readConfig(root)).replace('; to let', '.\n  To let');

const setupLines = (setup: SuggestedSetup | null): string[] =>
  setup === null ? [] : [`Setup of a fresh checkout: ${setup.command}`];

const gatesText = (gates: readonly SuggestedGate[]): string =>
  gates.length === 0
    ? `No gate, so every done is believed: put the command that tests this project into ${CONFIG_FILE}.`
    : `${plural(gates.length, 'gate')}: ${gates.map(({ command, required = true }) => (required ? command : `${command} (not required)`)).join(' · ')}`;
