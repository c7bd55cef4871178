// Other agents' names for tools, in Claude Code's words.

const OWN_NAMES: Readonly<Record<string, string>> = {
  bash: 'Bash',
  shell: 'Bash',
  run_shell_command: 'Bash',
  write: 'Write',
  create: 'Write',
  write_file: 'Write',
  edit: 'Edit',
  replace: 'Edit',
  patch: 'Edit',
  read: 'Read',
  view: 'Read',
  read_file: 'Read',
  glob: 'Glob',
  grep: 'Grep',
};

/** `prefix`: what the client puts before the names of Ralph's tools. */
export const ownName = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? `mcp__ralph__${name.slice(prefix.length)}` : (OWN_NAMES[name] ?? name);
