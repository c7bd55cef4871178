// Signs commits as the person has configured, and never prompts for a passphrase or a touch: the person may be away.
import { chmod, rm, writeFile } from 'node:fs/promises';
import { type CommitContent, makeCommitObject } from '../git/commit-object.ts';
import { type Git, GitFailed, gitLine } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { newScratchFile, scratchFolder } from '../git/own-git.ts';
import { personsSettings } from '../git/persons-settings.ts';
import { findExecutable } from '../processes/find-executable.ts';

const FORMATS = ['openpgp', 'ssh', 'x509'] as const;

export type Signing = {
  format: (typeof FORMATS)[number];
  key: string | null;
  /** The program that makes the signature. */
  program: string;
};

/** Null if commits are not to be signed. */
export async function readSigning(repository: Git): Promise<Signing | null> {
  const settings = await personsSettings(repository);
  if (!/^(true|yes|on|1)$/i.test(settings.get('commit.gpgsign') ?? '')) return null;
  const format = FORMATS.find((name) => name === (settings.get('gpg.format') ?? 'openpgp')) ?? 'openpgp';
  const usual = { openpgp: settings.get('gpg.program') ?? 'gpg', ssh: 'ssh-keygen', x509: 'gpgsm' }[format];
  return {
    format,
    key: settings.get('user.signingkey') ?? null,
    program: settings.get(`gpg.${format}.program`) ?? usual,
  };
}

/** The line that a person trusts. */
export const signingLine = ({ format, key, program }: Signing): string =>
  `commits are signed (${format}) by ${program}${key === null ? '' : ` with the key ${key}`}`;

/** A key on a card would wait for a touch for ever. */
const TIMEOUT_MS = 20_000;

/** Makes the commit. It is unsigned, and `onUnsigned` is called, if the signature needs a person. */
export async function commitTree(
  place: Place,
  commit: CommitContent,
  signing: Signing | null,
  onUnsigned: (reason: string) => void,
): Promise<string> {
  const unsigned = () => makeCommitObject(place, commit);
  if (signing === null) return unsigned();
  const { format, key } = signing;
  if (format === 'ssh' && key === null) {
    onUnsigned('user.signingkey names no key');
    return unsigned();
  }
  const program = await quietProgram(place, signing);
  const settings = [`gpg.format=${format}`, `gpg.${format}.program=${program}`];
  try {
    const { tree, parents, message } = commit;
    return await gitLine(
      { ...place, env: { ...place.env, ...NO_QUESTIONS(place) } },
      [
        ...settings.flatMap((setting) => ['-c', setting]),
        ...['commit-tree', key === null ? '-S' : `-S${key}`, tree],
        ...parents.flatMap((parent) => ['-p', parent]),
        ...['-F', '-'],
      ],
      { input: Buffer.from(message), timeoutMs: TIMEOUT_MS },
    );
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    onUnsigned(/\((.*)\)\.?$/.exec(error.message)?.[1] ?? error.message);
    return unsigned();
  } finally {
    if (program !== signing.program) await rm(program, { force: true });
  }
}

/** Never prompts for the passphrase of a key: only a running ssh-agent or gpg-agent can provide it. */
const NO_QUESTIONS = ({ env }: Place) => ({
  SSH_ASKPASS: findExecutable('false', env['PATH']) ?? '/bin/false',
  SSH_ASKPASS_REQUIRE: 'force',
  GPG_TTY: '',
});

/** Git cannot pass extra arguments to the program, so a wrapper script adds them. */
async function quietProgram(place: Place, { format, program }: Signing): Promise<string> {
  if (format === 'ssh') return program;
  const script = await newScratchFile(scratchFolder(place));
  const quoted = `'${program.replaceAll("'", "'\\''")}'`;
  await writeFile(script, `#!/bin/sh\nexec ${quoted} --batch --pinentry-mode error "$@"\n`);
  await chmod(script, 0o700);
  return script;
}
