import { Option } from 'commander';
import type { Terminal } from '../../app/world.ts';
import { visible } from '../../domain/text/text.ts';
import { paint } from '../../text/terminal/style.ts';
import { defineCommand } from '../command.ts';
import type { Finding } from '../doctor/checks.ts';

const NOT_RUN = { findings: [], isStopped: false };

export const doctor = defineCommand<[], { fix?: boolean; gates?: boolean }>({
  name: 'doctor',
  summary: 'check that everything Ralph needs is in order',
  group: 'Set up',
  options: [
    new Option('--fix', 'repair what can be repaired without losing anything'),
    new Option('--gates', 'run each gate once, and say how long it takes'),
  ],
  examples: ['ralph doctor', 'ralph doctor --fix', 'ralph doctor --gates'],
  run: async (context, _, { fix = false, gates = false }) => {
    const { examine } = await import('../doctor/checks.ts');
    const { runGatesOnce } = await import('../doctor/gates.ts');
    const examined = await examine(context, fix);
    const { findings, isStopped } = gates ? await runGatesOnce(context) : NOT_RUN;
    const checks = [...examined, ...findings];
    const ok = checks.every((finding) => finding.ok);
    const text = checks.map((finding) => line(finding, context.terminal)).join('\n');
    return { json: { ok, checks }, text, exitCode: isStopped ? 130 : ok ? 0 : 1 };
  },
});

function line({ name, ok, detail }: Finding, { color }: Terminal): string {
  const mark = ok ? paint('✓ ok  ', 'green', color) : paint('✗ fix ', 'red', color);
  return `${mark} ${visible(name).padEnd(12)} ${detail}`;
}
