// Settings of an agent in its own format, from several sources.
import type { AgentSettings } from './agent.ts';

/** What stands later wins, but objects are merged. */
export function mergeSettings(...sources: readonly AgentSettings[]): AgentSettings {
  const merged = new Map<string, unknown>();
  for (const [key, value] of sources.flatMap((source) => Object.entries(source))) {
    const earlier = merged.get(key);
    merged.set(key, isObject(earlier) && isObject(value) ? mergeSettings(earlier, value) : value);
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is AgentSettings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
