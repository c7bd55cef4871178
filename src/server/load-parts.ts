let parts: Promise<typeof import('./parts.ts')> | null = null;

/** Imports once: an import() at every call would take longer than many calls. */
export function loadParts(): Promise<typeof import('./parts.ts')> {
  parts ??= import('./parts.ts');
  return parts;
}
