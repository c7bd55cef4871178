// What a program printed for a terminal, as text: without colours, titles and other orders to the screen.

/** Colours and movements; titles and links, which end on their line or are none; and the short ones. */
const ORDERS = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;

/** A carriage return begins a line anew, as progress bars do: each state of it becomes a line of its own. */
export const plainOutput = (text: string): string => text.replace(ORDERS, '').replace(/\r+\n?/g, '\n');

export const withoutColours = (text: string): string => text.replace(/\x1b\[[\d;:]*m/g, '');
