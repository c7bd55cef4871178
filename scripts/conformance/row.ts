export type Verdict = 'passed' | 'failed' | 'not applicable';

/** `why`: what is wrong, or why it cannot be; empty where all is well. */
export type Row = { scenario: string; verdict: Verdict; why: string };
