/** Names by which texts call the tool: case-sensitive, the longest first. */
export const TRIGGERS = ["mcp__onetool__run", "__onetool__run", "__onetool", "__ot__run", "__ot"] as const;
