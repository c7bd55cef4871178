/** Ralph's own words, which need no care, or what was written by others, stands out, or is to be typed. */
export type Span = string | { as: 'said' | 'strong' | 'command'; text: string };

export const said = (text: string): Span => ({ as: 'said', text });
export const strong = (text: string): Span => ({ as: 'strong', text });
export const command = (text: string): Span => ({ as: 'command', text });
