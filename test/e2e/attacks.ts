// What an agent may try against Ralph and against the person, and how far it gets at each level of the sandbox. docs/security.md
// has this table.
import type { Attack } from './attack.ts';
import { ON_GATES } from './attacks-on-gates.ts';
import { ON_PERSON } from './attacks-on-person.ts';
import { ON_RECORDS } from './attacks-on-records.ts';
import { ON_SESSIONS } from './attacks-on-sessions.ts';

/** Those on other sessions last: they end what the others need. */
export const ATTACKS: readonly Attack[] = [...ON_RECORDS, ...ON_GATES, ...ON_PERSON, ...ON_SESSIONS];
