// What `ralph init` asks the person at the terminal.
import { dirname } from 'node:path';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { truncate, visible } from '../../domain/text/text.ts';
import { findProject, isProject } from '../../host/project.ts';
import type { SuggestedGate } from '../../project/init/suggest-gates.ts';
import { MCP_CONFIG, type McpConfig } from './mcp-config.ts';

type Dialog = Pick<CommandContext, 'terminal'>;

export const PERMISSIONS =
  'Agents run with bypassPermissions: they edit files and run commands as you, without asking.';

/** In a subfolder of a project that is set up, most people are just in the wrong folder. */
export async function requireOwnPlace(
  { terminal: { ask } }: Dialog,
  root: string,
  yes: boolean,
): Promise<void> {
  const outer = isProject(root) || yes ? null : outerProject(root);
  if (outer === null) return;
  const found = `Ralph is set up in ${outer} already`;
  if (ask === null)
    throw new Refusal(`${found}; work there, or make a second project here with ralph init --yes.`);
  const answer = await ask(`${found}.\nMake a second project, with a queue of its own, in ${root}? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal('Nothing was written.');
}

function outerProject(root: string): string | null {
  try {
    return dirname(root) === root ? null : findProject(dirname(root)).root;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The person chooses all gates, or some by their numbers. */
export async function chooseGates(
  { terminal: { ask } }: Dialog,
  root: string,
  gates: readonly SuggestedGate[],
  disciplines: readonly string[],
): Promise<readonly SuggestedGate[]> {
  if (ask === null) return gates;
  const shown = gates.map(
    ({ command, required }, index) =>
      `  ${index + 1}  ${visible(command)}${required === false ? '  (advisory)' : ''}\n`,
  );
  const found =
    gates.length === 0 ? '  no gate was found: every done would be believed\n' : `Gates:\n${shown.join('')}`;
  const how =
    gates.length === 0
      ? 'Write .ralph/? [Y/n] '
      : 'Write .ralph/ with these gates? Enter for all, numbers such as 1 3, 0 for none, n to stop: ';
  let question = `Set Ralph up in ${root}?\n${found}Disciplines: ${disciplines.join(', ')}\n${PERMISSIONS}\n${how}`;
  for (;;) {
    const answer = (await ask(question)).trim();
    if (/^n/i.test(answer)) throw new Refusal('Nothing was written.');
    const chosen = chosenGates(answer, gates);
    if (chosen !== null) return chosen;
    question = `Type Enter, numbers from 1 to ${gates.length}, 0 for none, or n: `;
  }
}

function chosenGates(answer: string, gates: readonly SuggestedGate[]): readonly SuggestedGate[] | null {
  if (answer === '' || /^y(es)?$/i.test(answer)) return gates;
  const numbers = answer.split(/[\s,]+/).map(Number);
  if (numbers.some((number) => !Number.isInteger(number) || number < 0 || number > gates.length)) return null;
  return gates.filter((_, index) => numbers.includes(index + 1));
}

/** A clone may bring its own servers, which a client would start: only a person on a terminal keeps them. */
export async function wantsOthers({ terminal }: Dialog, { others }: McpConfig): Promise<boolean> {
  if (others.length === 0 || terminal.ask === null) return false;
  const shown = others.map((line) => `  ${visible(truncate(line, MAX_SHOWN))}\n`).join('');
  const question = `${MCP_CONFIG} has other entries, which a client would start or read:\n${shown}Keep them? [y/N] `;
  return /^y(es)?$/i.test((await terminal.ask(question)).trim());
}

const MAX_SHOWN = 300;
