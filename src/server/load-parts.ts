let parts: Promise<typeof import('./parts.ts')> | null = null;

/** Once: asking the module loader again at every call takes longer than many a call itself. */
export function loadParts(): Promise<typeof import('./parts.ts')> {
  parts ??= import('./parts.ts');
  return parts;
}
