import { Option } from 'commander';
import type { Terminal } from '../../../app/world.ts';
import { visible } from '../../../domain/text/text.ts';
import { paint } from '../../../text/terminal/style.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand } from '../../command.ts';
import type { Finding } from '../../doctor/checks.ts';

const NOT_RUN = { findings: [], isStopped: false };

export const doctor = defineCommand<[], { fix?: boolean; gates?: boolean; slots?: boolean }>({
  name: 'doctor',
  summary: 'check that everything Ralph needs is in order',
  group: 'Set up',
  options: [
    new Option('--fix', 'repair what can be repaired without losing anything'),
    new Option('--gates', 'run each gate once, and report how long it takes'),
    new Option(
      '--slots',
      'run setup and gates in a fresh slot, too, and say what differs from your checkout',
    ),
  ],
  examples: ['ralph doctor', 'ralph doctor --fix', 'ralph doctor --gates', 'ralph doctor --slots'],
  run: async (context, _, { fix = false, gates = false, slots = false }) => {
    const { examine } = await import('../../doctor/checks.ts');
    const { runGatesOnce } = await import('../../doctor/gates.ts');
    const examined = await examine(context, fix);
    const { trySlot } = await import('../../doctor/slots.ts');
    const { findings, isStopped } = slots
      ? await trySlot(context)
      : gates
        ? await runGatesOnce(context)
        : NOT_RUN;
    const checks = [...examined, ...findings];
    const ok = checks.every((finding) => finding.ok);
    const text = checks.map((finding) => line(finding, context.terminal)).join('\n');
    return { json: { ok, checks }, text, exitCode: isStopped ? 130 : ok ? 0 : 1 };
  },
});

/** Where a detail begins; the rest of a long one stands below that. */
const INDENT = 20;
const NARROWEST = 30;

function line({ name, ok, detail }: Finding, { color, columns }: Terminal): string {
  const mark = ok ? paint('✓ ok  ', 'green', color) : paint('✗ fix ', 'red', color);
  const lines = wrap(detail, Math.max(NARROWEST, columns - INDENT));
  return `${mark} ${visible(name).padEnd(12)} ${lines.replaceAll('\n', `\n${' '.repeat(INDENT)}`)}`;
}
