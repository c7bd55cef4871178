// `ralph doctor --slots` runs setup and gates in a fresh slot and in the checkout: what a slot lacks should be found before an
// agent is paid to look for it.
import { basename, join } from 'node:path';
import { openProjectSandbox } from '../../app/sessions/sandbox.ts';
import { slotPlace } from '../../app/sessions/slots.ts';
import type { CommandContext } from '../../app/world.ts';
import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { duration } from '../../domain/text/amounts.ts';
import { visible } from '../../domain/text/text.ts';
import { treeOfCommit } from '../../host/git/git.ts';
import { adoptSettings, type Place } from '../../host/git/own-git.ts';
import { type GateGround, gatesAtOnce, inGateSlot, runGatesIn } from '../../host/landing/slot-gates.ts';
import { advanceTrunk, findTrunk, type Trunk, trunkStanding } from '../../host/landing/trunk.ts';
import { noBranchText } from '../../host/persons-branch/persons-commits.ts';
import { configuredRemote } from '../../host/remote/remote.ts';
import { clearGateHomes } from '../../host/slots/gate-files.ts';
import { includedFiles } from '../../host/slots/include-files.ts';
import { openGateHome } from '../../host/slots/open-gate-home.ts';
import { requireSlots } from '../../host/slots/require-slots.ts';
import { readConfig } from '../../project/read-config.ts';
import type { Finding } from './checks.ts';
import { gateFinding, type Tried, type TriedGate, tryGates, whereTrusted } from './gates.ts';
import { findLacks, type Lacks, lackFindings } from './slot-lacks.ts';

export const trySlot = (context: CommandContext): Promise<Tried> =>
  whereTrusted(context, 'slots', async (project, stop) => {
    const { root, stateDir } = project;
    const config = await readConfig(root);
    const place = slotPlace(context.env, project, config.slots);
    await requireSlots(place.repository);
    const trunk = findTrunk(place.repository, config.land.branch, configuredRemote(config.land));
    const tip = await findTip(place.repository, trunk);
    await adoptSettings(place.repository);
    const { sandbox } = await openProjectSandbox(context, project, config);
    const names = [...config.env, ...Object.keys(config.slots.env)];
    const included = await includedFiles(place.repository);
    const home = await openGateHome(place, context.env, { isHidden: sandbox.level === 'process' });
    const ground: GateGround = {
      place: { ...place, home: home.folder },
      rules: {
        // Clean, as if the slot were new: files that earlier gates left could hide what is missing.
        slots: { ...config.slots, clean: true },
        names,
        included,
        env: context.env,
        stop,
        sandbox,
      },
      // One more than a run uses: the check must not wait for a run.
      gatesAtOnce: gatesAtOnce(config.slots) + 1,
      trunk,
      env: { ...context.env, ...home.env },
    };
    const gates = config.gates.map((gate) => ({ ...gate, env: names }));
    const inSlot = await judgeInSlot(ground, tip, { gates, stateDir, stop }).finally(async () => {
      await home.close();
      await clearGateHomes(place);
    });
    const inCheckout = await tryGates({ ...config, sandbox }, context, project, stop);
    const compared = inCheckout.map((tried) => compare(tried, inSlot.results, context.cwd));
    return [
      ...inCheckout.map(({ finding }) => finding),
      { name: 'slot', ok: true, detail: readyText(inSlot, config.slots) },
      ...compared.map(({ finding }) => finding),
      ...(compared.some(({ differs }) => differs) ? lackFindings(inSlot.lacks, config, root) : []),
    ];
  });

const readyText = ({ name, readyMs }: InSlot, { setup }: Config['slots']): string =>
  `${name} was ready in ${duration(readyMs)}${setup === null ? ', without slots.setup' : `, with its setup: ${visible(setup)}`}`;

/** What the next session would start from. */
async function findTip(repository: Place, trunk: Trunk): Promise<string> {
  const standing =
    trunk.remote === null ? await trunkStanding(repository, trunk) : await advanceTrunk(repository, trunk);
  if (standing.kind === 'no_branch') throw new Refusal(noBranchText(trunk));
  // A run takes the person's newer commits in first.
  return standing.kind === 'branch_ahead' ? standing.branch : standing.tip;
}

type InSlot = {
  name: string;
  readyMs: number;
  lacks: Lacks;
  results: Awaited<ReturnType<typeof runGatesIn>>;
};

async function judgeInSlot(
  ground: GateGround,
  tip: string,
  { gates, stateDir, stop }: { gates: Config['gates']; stateDir: string; stop: AbortSignal },
): Promise<InSlot> {
  const started = performance.now();
  return inGateSlot(ground, tip, async (slot) => {
    const readyMs = performance.now() - started;
    const tree = await treeOfCommit(ground.place.repository, tip);
    // Before the gates, which may leave files of their own.
    const lacks = await findLacks(slot, tree);
    const results = await runGatesIn(ground, slot, {
      tree,
      gates,
      logFolder: join(stateDir, 'doctor', 'slot'),
      marker: {},
      sessionResults: [],
      resultsBefore: [],
      stop,
      listeners: {},
      isBaseline: true,
    });
    return { name: basename(slot.folder), readyMs, lacks, results };
  });
}

/** `differs`: red in the slot, although it is green in the checkout. */
function compare(
  { gate, passed }: TriedGate,
  results: InSlot['results'],
  cwd: string,
): { finding: Finding; differs: boolean } {
  const name = `slot ${gate.name}`;
  const result = results.find((one) => one.name === gate.name);
  if (result === undefined)
    return { finding: { name, ok: false, detail: 'was ended by another program' }, differs: false };
  const { ok, detail } = gateFinding(gate, result, cwd);
  const differs = !result.passed && passed === true;
  const note = differs
    ? ' (it passes in your checkout)'
    : result.passed && passed === false
      ? ', though it fails in your checkout'
      : '';
  return { finding: { name, ok, detail: `${detail}${note}` }, differs };
}
