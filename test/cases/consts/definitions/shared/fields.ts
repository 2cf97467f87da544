/** Fields that several tools share; never an array of tools itself. */
export const STATES = ["open", "waiting", "closed"] as const;

const LIMITS = { small: 10, large: 100 } as const;

export const TICKET_ID = { type: "string", "x-id": "ticket", minLength: 1 } as const;

export const PAGE = {
  limit: { type: "integer", minimum: 1, maximum: LIMITS.large, default: LIMITS["small"] },
  offset: { type: "integer", minimum: 0, default: 0 },
};

export const SUBJECT = "ticket";
export { STATES as TICKET_STATES };
