export type SuggestedGate = { name: string; command: string; required?: false };

export const gate = (name: string, command: string): SuggestedGate => ({ name, command });
/** A style check should be seen, but must not send finished work back. */
export const advisory = (name: string, command: string): SuggestedGate => ({
  name,
  command,
  required: false,
});
