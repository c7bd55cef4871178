/** The wanted name, or the first free one of `name (2)`, `name (3)`, ... */
export function freeName(wanted: string, taken: { has(name: string): boolean }): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
  return name;
}
