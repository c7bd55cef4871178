// Lines that the real programs printed, cut to what Ralph reads.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entryLine } from '../../../src/domain/transcript/entry.ts';
import { parseStreamLine } from '../../../src/domain/transcript/parse.ts';
import { readEntries } from '../../../src/domain/transcript/transcript.ts';
import { buildWorkLog } from '../../../src/domain/transcript/work-log.ts';
import { observeLine } from '../../../src/supervisor/agents/observe-stream.ts';
import { applyObservation, NOT_RUN } from '../../../src/supervisor/agents/session-end.ts';
import { tries } from '../../support/tries.ts';

const CODEX = [
  '{"type":"thread.started","thread_id":"01a1"}',
  '{"type":"turn.started"}',
  `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'cat nope'","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
  `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'cat nope'","aggregated_output":"No such file\\n","exit_code":1,"status":"failed"}}`,
  '{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"a.ts","kind":"add"}],"status":"completed"}}',
  '{"type":"item.started","item":{"id":"item_3","type":"mcp_tool_call","server":"ralph","tool":"done","arguments":{"summary":"ok"},"result":null,"error":null,"status":"in_progress"}}',
  '{"type":"item.completed","item":{"id":"item_3","type":"mcp_tool_call","server":"ralph","tool":"done","arguments":{"summary":"ok"},"result":{"content":[{"type":"text","text":"Recorded"}]},"error":null,"status":"completed"}}',
  '{"type":"item.completed","item":{"id":"item_4","type":"agent_message","text":"All done."}}',
  '{"type":"turn.completed","usage":{"input_tokens":30,"cached_input_tokens":0,"output_tokens":20}}',
];

const OPENCODE = [
  '{"type":"step_start","timestamp":5,"sessionID":"ses_1","part":{"messageID":"m1","type":"step-start"}}',
  '{"type":"tool_use","timestamp":5,"sessionID":"ses_1","part":{"type":"tool","tool":"bash","callID":"c1","messageID":"m1","state":{"status":"completed","input":{"command":"cat nope"},"output":"No such file\\n","metadata":{"exit":1}}}}',
  '{"type":"tool_use","timestamp":6,"sessionID":"ses_1","part":{"type":"tool","tool":"write","callID":"c2","messageID":"m1","state":{"status":"completed","input":{"filePath":"a.ts","content":"x"},"output":"Wrote file"}}}',
  '{"type":"step_finish","timestamp":6,"sessionID":"ses_1","part":{"messageID":"m1","tokens":{"input":10,"output":10,"reasoning":0,"cache":{"write":0,"read":5}},"cost":0.25}}',
  '{"type":"tool_use","timestamp":7,"sessionID":"ses_1","part":{"type":"tool","tool":"ralph_done","callID":"c3","messageID":"m2","state":{"status":"completed","input":{"summary":"ok"},"output":"Recorded"}}}',
  '{"type":"step_finish","timestamp":7,"sessionID":"ses_1","part":{"messageID":"m2","tokens":{"input":15,"output":10,"cache":{}},"cost":0.25}}',
  '{"type":"text","timestamp":8,"sessionID":"ses_1","part":{"messageID":"m3","type":"text","text":"All done."}}',
];

const COPILOT = [
  '{"type":"session.mcp_servers_loaded","ephemeral":true,"data":{"servers":[{"name":"githubiq","status":"disabled"},{"name":"ralph","status":"connected"}]}}',
  '{"type":"assistant.message","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"c1","name":"bash","arguments":{"command":"cat nope"}}]}}',
  '{"type":"tool.execution_complete","data":{"toolCallId":"c1","shellExecution":{"exitCode":1},"success":true,"result":{"content":"No such file\\n<shellId: 0 completed with exit code 1>"}}}',
  '{"type":"assistant.message","data":{"messageId":"m2","content":"","toolRequests":[{"toolCallId":"c2","name":"create","arguments":{"path":"a.ts","file_text":"x"}}]}}',
  '{"type":"tool.execution_complete","data":{"toolCallId":"c2","success":true,"result":{"content":"Created file a.ts"}}}',
  '{"type":"assistant.message","data":{"messageId":"m3","content":"","toolRequests":[{"toolCallId":"c3","name":"ralph-done","arguments":{"summary":"ok"}}]}}',
  '{"type":"tool.execution_complete","data":{"toolCallId":"c3","success":true,"result":{"content":"Recorded"}}}',
  '{"type":"assistant.message","data":{"messageId":"m4","content":"All done.","toolRequests":[]}}',
  '{"type":"result","sessionId":"5aba","exitCode":0,"usage":{"premiumRequests":0}}',
];

const GEMINI = [
  '{"type":"init","timestamp":"2026-11-18T06:46:46.246Z","session_id":"3ae4","model":"flash"}',
  '{"type":"message","role":"user","content":"Do it."}',
  '{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"cat nope"}}',
  '{"type":"tool_result","tool_id":"t1","status":"success","output":"No such file"}',
  '{"type":"tool_use","tool_name":"write_file","tool_id":"t2","parameters":{"file_path":"a.ts","content":"x"}}',
  '{"type":"tool_result","tool_id":"t2","status":"success"}',
  '{"type":"tool_use","tool_name":"mcp_ralph_done","tool_id":"t3","parameters":{"summary":"ok"}}',
  '{"type":"tool_result","tool_id":"t3","status":"success","output":"Recorded"}',
  '{"type":"message","role":"assistant","content":"All done.","delta":true}',
  '{"type":"result","status":"success","stats":{"input_tokens":30,"output_tokens":20,"models":{"flash":{"input_tokens":30,"output_tokens":20}}}}',
];

const QWEN = [
  '{"type":"system","subtype":"init","session_id":"7d5e","mcp_servers":[{"name":"ralph","status":"connected"}],"model":"coder"}',
  '{"type":"stream_event","session_id":"7d5e","event":{"type":"goal_state"}}',
  '{"type":"assistant","session_id":"7d5e","message":{"id":"m1","content":[{"type":"tool_use","id":"c1","name":"run_shell_command","input":{"command":"cat nope"}}],"usage":{"input_tokens":10,"output_tokens":10}}}',
  '{"type":"user","session_id":"7d5e","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"Command: cat nope\\nDirectory: (root)\\nOutput: No such file\\nError: (none)\\nExit Code: 1\\nSignal: (none)\\nProcess Group PGID: 7"}]}}',
  '{"type":"assistant","session_id":"7d5e","message":{"id":"m2","content":[{"type":"tool_use","id":"c2","name":"write_file","input":{"file_path":"a.ts","content":"x"}}]}}',
  '{"type":"assistant","session_id":"7d5e","message":{"id":"m3","content":[{"type":"tool_use","id":"c3","name":"mcp__ralph__done","input":{"summary":"ok"}}]}}',
  '{"type":"user","session_id":"7d5e","message":{"content":[{"type":"tool_result","tool_use_id":"c3","is_error":false,"content":"Recorded"}]}}',
  '{"type":"assistant","session_id":"7d5e","message":{"id":"m4","content":[{"type":"text","text":"All done."}]}}',
  '{"type":"result","subtype":"success","session_id":"7d5e","is_error":false,"num_turns":4,"result":"All done.","usage":{"input_tokens":30,"output_tokens":20}}',
];

const geminiError = (words: string): string =>
  JSON.stringify({ type: 'result', status: 'error', error: { message: `[API Error: ${words}]` }, stats: {} });
const qwenError = (message: string): string =>
  JSON.stringify({ type: 'result', is_error: true, usage: {}, error: { message } });

const heard = (lines: readonly string[]) => lines.flatMap(observeLine).reduce(applyObservation, NOT_RUN);
const shown = (lines: readonly string[]) => lines.flatMap(readEntries).map(entryLine);

function logged(lines: readonly string[]) {
  const log = buildWorkLog((path) => (path === '' ? null : path));
  for (const line of lines) log.add(line);
  return log.build();
}

it("Codex's items are turns, and its session has its own id, tokens and last words, but no cost", () => {
  expect(heard(CODEX)).toMatchObject({
    client_session: '01a1',
    answers: 4,
    files: ['a.ts'],
    last_said: 'All done.',
    usage: { turns: 4, input_tokens: 30, output_tokens: 20, cost_usd: 0 },
  });
});

it("OpenCode's messages are turns, and each step adds its tokens and its cost", () => {
  expect(heard(OPENCODE)).toMatchObject({
    client_session: 'ses_1',
    answers: 3,
    files: ['a.ts'],
    last_said: 'All done.',
    usage: { turns: 3, input_tokens: 30, output_tokens: 20, cost_usd: 0.5 },
  });
});

it("Copilot's messages are turns, and its session has its own id and last words, but no tokens and no cost", () => {
  expect(heard(COPILOT)).toMatchObject({
    client_session: '5aba',
    answers: 4,
    files: ['a.ts'],
    last_said: 'All done.',
    fault: null,
    usage: { turns: 4, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  });
});

it.each([
  ['3ae4', 'flash', GEMINI],
  ['7d5e', null, QWEN],
])('the session %s of %s has its own id, files, tokens and last words, but no cost', (id, model, lines) => {
  expect(heard(lines)).toMatchObject({
    client_session: id,
    answers: 4,
    files: ['a.ts'],
    last_said: 'All done.',
    fault: null,
    usage: { model, turns: 4, input_tokens: 30, output_tokens: 20, cost_usd: 0 },
  });
});

it.each([
  ['failed', 'mcp_lost'],
  // It may still come, and the session is told if it does not.
  ['pending', null],
])('a session of Copilot whose MCP server is %s has the fault %s', (status, fault) => {
  const servers = [{ name: 'ralph', status }];
  expect(heard([JSON.stringify({ type: 'session.mcp_servers_loaded', data: { servers } })]).fault).toBe(
    fault,
  );
});

it("every agent's tools have the same names on a screen and in the journal", () => {
  for (const lines of [CODEX, OPENCODE, COPILOT, GEMINI, QWEN]) {
    expect(shown(lines)).toEqual(
      expect.arrayContaining(['Bash cat nope', 'ralph done ok', 'Recorded', 'All done.']),
    );
    // Gemini does not tell how a command ended that printed something.
    const exit = lines === GEMINI ? null : 1;
    expect(logged(lines)).toMatchObject({ written: ['a.ts'], commands: [{ command: 'cat nope', exit }] });
  }
});

it.each([
  [
    '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: x, url: y"}}',
    'not_logged_in',
  ],
  [
    '{"type":"error","message":"Reconnecting... 1/5 (unexpected status 401 Unauthorized: x)"}',
    'not_logged_in',
  ],
  [
    '{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Try again later."}}',
    'usage_limit',
  ],
  [
    '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}',
    'rate_limit',
  ],
  [
    '{"type":"turn.failed","error":{"message":"We’re currently experiencing high demand, which may cause temporary errors."}}',
    'overloaded',
  ],
  ['{"type":"turn.failed","error":{"message":"{\\"error\\":{\\"message\\":\\"no\\"}}"}}', 'rejected'],
  [
    '{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"no","statusCode":401}}}',
    'not_logged_in',
  ],
  ['{"type":"error","sessionID":"s","error":{"name":"UnknownError","data":{"message":"no"}}}', 'rejected'],
  [
    '{"type":"session.error","data":{"errorType":"authentication","message":"no","statusCode":401}}',
    'not_logged_in',
  ],
  ['{"type":"model.call_failure","data":{"statusCode":401,"retryAttempt":0}}', 'not_logged_in'],
  ['{"type":"model.call_failure","data":{"statusCode":500,"retryAttempt":0}}', null],
  ['{"type":"session.error","data":{"errorType":"query","message":"no","statusCode":500}}', 'server_error'],
  [
    '{"type":"session.error","data":{"errorType":"rate_limit","message":"no","statusCode":429}}',
    'rate_limit',
  ],
  ['{"type":"session.error","data":{"errorType":"quota","message":"no","statusCode":402}}', 'usage_limit'],
  [geminiError('{"error":{"code":400,"details":[{"reason":"API_KEY_INVALID"}]}}'), 'not_logged_in'],
  [geminiError('{"error":{"code":400,"message":"no","details":[]}}'), 'rejected'],
  [geminiError('{"error":{"code":503,"message":"no"}}'), 'server_error'],
  [geminiError('exception TypeError: fetch failed sending request'), 'unreachable'],
  // The exit code tells more, which only the adapter sees.
  [geminiError('You have exhausted your daily quota on this model.'), null],
  [qwenError('[API Error: 401 no]'), 'not_logged_in'],
  [qwenError('[API Error: 503 status code (no body)]'), 'server_error'],
  [qwenError('[API Error: Connection error. (cause: connect ECONNREFUSED)]'), 'unreachable'],
  [qwenError('Quota exhausted: It will reset at midnight.'), 'usage_limit'],
  [qwenError('[API Error: The model said 401]'), 'rejected'],
])('the fault in %s is %s', (line, fault) => {
  expect(heard([line]).fault).toBe(fault);
});

it('the last words of Gemini are its whole last message, although it comes in pieces', () => {
  const piece = (content: string) =>
    JSON.stringify({ type: 'message', role: 'assistant', content, delta: true });
  const call = JSON.stringify({ type: 'tool_use', tool_name: 'glob', tool_id: 't1', parameters: {} });
  const lines = [piece('I look'), piece(' around.'), call, piece('It '), piece('is\n'), piece('done.')];
  expect(heard(lines)).toMatchObject({ answers: 3, last_said: 'It is done.' });
});

it('a failure that Qwen tells in place of an answer is no answer', () => {
  const told = (text: string, output_tokens: number) =>
    JSON.stringify({
      type: 'assistant',
      message: { id: text, content: [{ type: 'text', text }], usage: { output_tokens } },
    });
  expect(heard([told('[API Error: 401 no]', 0), qwenError('[API Error: 401 no]')])).toMatchObject({
    answers: 0,
    fault: 'not_logged_in',
    detail: '401 no',
  });
  expect(heard([told('[API Error: 401 no]', 5)])).toMatchObject({ answers: 1, fault: null });
});

it('words of the model about a limit are no fault, whoever says them', () => {
  const words = 'unexpected status 401, You’ve hit your usage limit';
  const lines = [
    JSON.stringify({ type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: words } }),
    JSON.stringify({ type: 'text', sessionID: 's', part: { messageID: 'm', text: words } }),
    JSON.stringify({ type: 'assistant.message', data: { messageId: 'm', content: words } }),
    JSON.stringify({ type: 'turn.failed', error: { message: `The model said: ${words}` } }),
  ];
  expect(heard(lines.slice(0, -1)).fault).toBeNull();
  expect(heard(lines.slice(-1)).fault).toBe('rejected');
});

it('every line of any agent is read without an error, and its entries are bounded', () => {
  const types = [...CODEX, ...OPENCODE, ...COPILOT, ...GEMINI, ...QWEN].map((line) => JSON.parse(line).type);
  const key = fc.constantFrom(
    'item',
    'part',
    'error',
    'sessionID',
    'data',
    'message',
    'id',
    'state',
    'status',
  );
  const object = fc.dictionary(key, fc.jsonValue(), { maxKeys: 5 });
  fc.assert(
    fc.property(
      fc.constantFrom(...types, 'assistant.message', 'result', 'message'),
      object,
      (type, fields) => {
        const line = JSON.stringify({ ...fields, type });
        parseStreamLine(line);
        heard([line]);
        for (const entry of shown([line])) expect(entry.length).toBeLessThan(50_000);
      },
    ),
    { numRuns: tries(300) },
  );
});
