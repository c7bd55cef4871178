// What the loopback GitHub holds. A test writes it down and reads it; requests change it.
import type { ServerResponse } from 'node:http';

export type FakeIssue = {
  number: number;
  title: string;
  body?: string | null;
  state?: 'open' | 'closed';
  state_reason?: string | null;
  labels?: readonly string[] | null;
  parent?: number;
  blockedBy?: readonly number[];
  [more: string]: unknown;
};

/** `created`: as GitHub writes a time. */
export type FakeComment = { id: number; issue: number; body: string; login: string; created: string };

export type FakeEvent = { issue: number; event: 'closed' | 'reopened'; created: string };

export type FakePull = {
  number: number;
  title: string;
  body: string | null;
  /** Branches of the bare repository. */
  head: string;
  base: string;
  draft: boolean;
  state: 'open' | 'closed';
  /** The commit that merged it. */
  merged: string | null;
  /** Where its head was when it was closed or merged. */
  closedAt: string | null;
  reviews: FakeReview[];
  /** Remarks on lines. */
  remarks: FakeRemark[];
};

export type FakeReview = {
  id: number;
  login: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  body: string;
  commit_id: string;
  submitted_at: string;
  author_association?: string;
};

export type FakeRemark = {
  id: number;
  login: string;
  path: string;
  line: number | null;
  body: string;
  commit_id: string;
  /** The review that it is a part of, and the remark that it answers. */
  review: number | null;
  answers?: number;
};

export type FakeCheck = {
  id: number;
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  output?: { title?: string; summary?: string; text?: string };
  annotations?: readonly { path: string; start_line: number; message: string; annotation_level?: string }[];
  app?: { slug: string };
  /** What `GET .../actions/jobs/ID/logs` leads to. */
  log?: string;
};

export type FakeStatus = {
  context: string;
  state: 'success' | 'failure' | 'error' | 'pending';
  description?: string;
};

export type Answer = (response: ServerResponse) => void;

/** Answers one request that `on` fits, as `GET /repos/octo/shelf`. `isLate`: the request has had its effect before. */
export type Fault = { on: RegExp; isLate: boolean; answer: Answer };

export type FakeGithub = {
  /** The base URL, as a GitHub Enterprise Server has it. */
  api: string;
  /** The present name of the repository; others in `formerly` lead to it. */
  name: string;
  formerly: string[];
  /** Who the token is of. */
  login: string;
  /** What it accepts; null for everybody. */
  token: string | null;
  pageSize: number;
  /** Requests until the rate limit, which ends at `reset`, in seconds. */
  rate: { left: number; reset: number };
  issues: FakeIssue[];
  comments: FakeComment[];
  /** What happened to issues, in order. */
  events: FakeEvent[];
  pulls: FakePull[];
  /** By commit. */
  checks: Map<string, FakeCheck[]>;
  statuses: Map<string, FakeStatus[]>;
  /** The bare repository that pull requests are about. */
  repository: string | null;
  /** Whether an issue names its parent, as newer servers do. */
  namesParents: boolean;
  /** What it may answer although no GitHub would: for tests of hostile servers. */
  isHostile: boolean;
  /** What else it says of the repository. */
  about: { archived?: boolean; permissions?: Record<'pull' | 'push' | 'admin', boolean> };
  faults: Fault[];
  /** Requests in order, as `GET /repos/octo/shelf`. */
  asked: string[];
  /** What differs from the published API. The test fails if there is any at its end. */
  violations: string[];
};

/** A request that fits the published API. */
export type Call = {
  fake: FakeGithub;
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Readonly<Record<string, unknown>>;
};

export type Reply = { status: number; value: unknown; headers?: Record<string, string> };

/** By the name of the published operation. Null for what is not there. */
export type Routes = Readonly<Record<string, (call: Call) => Reply | null>>;

export const ok = (value: unknown): Reply => ({ status: 200, value });

export const invalid = (message: string): Reply => ({
  status: 422,
  value: {
    message: 'Validation Failed',
    documentation_url: 'https://github.example/docs',
    errors: [{ code: 'custom', message }],
  },
});

/** Now, in whole seconds. */
export const timestamp = (): string => new Date().toISOString().replace(/\.\d+/, '');

/** Numbers of issues and pull requests are of one row. */
export const nextNumber = ({ issues, pulls }: FakeGithub): number =>
  Math.max(0, ...[...issues, ...pulls].map(({ number }) => Number(number) || 0)) + 1;

export const repositoryUrl = ({ api, name }: FakeGithub): string => `${api}/repos/${name}`;
export const pageUrl = ({ name }: FakeGithub): string => `https://github.example/${name}`;
