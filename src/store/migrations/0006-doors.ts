// Through which door a change came: the command line, an MCP client or the page.
export const doors = `
alter table events add column via text;
`;
