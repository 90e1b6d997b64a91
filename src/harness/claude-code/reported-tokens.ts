/**
 * How many tokens an agent is said to have used. Every release that was recorded (2.0.30, 2.1.10, 2.1.197, 2.1.328) says those of its
 * last request alone: in the fixtures `totalTokens`, `subagent_tokens` and the sum of `usage` are 120 for agents whose own transcripts
 * hold two requests of 120 each. A notice of 2.1.197 says
 * even less of them (103). So it is the least that was used. A request that failed last is reported as 0, which means nothing.
 */
export function reportedTokens(said: unknown): { reportedTokens?: number } {
  const tokens = typeof said === 'string' && /^\d{1,15}$/.test(said) ? Number(said) : said
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? { reportedTokens: tokens } : {}
}
