import type { ComponentChildren } from 'preact';
import type { GateResult } from '../../src/domain/sessions/gate.ts';
import { Text } from './text.tsx';

type Props = { gate: Pick<GateResult, 'name' | 'passed'>; children: ComponentChildren };

/** `children`: what else is said of how it went. */
export const GateName = ({ gate: { name, passed }, children }: Props) => (
  <span class={`status ${passed ? 'done' : 'failed'}`}>
    {passed ? '✓' : '✗'} <Text>{name}</Text>
    {children}
  </span>
);
