/** The environment variables between the harness and its nodes. */

/** Set for the control: appends carry no fence, so a node that lost its lease is believed. */
export const NO_FENCE_VARIABLE = 'TURNWISE_CHAOS_NO_FENCE'
