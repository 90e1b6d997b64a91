/** What a lead may answer when a run asks whether it may call a tool. */
export const LEAD_ANSWERS = ['never', 'rules', 'all'] as const
export type LeadAnswers = (typeof LEAD_ANSWERS)[number]

export interface LeadPolicy {
  /** `never`: a person answers. `rules`: it lets through what `allow` names. `all`: it answers everything in its own tree. */
  answers: LeadAnswers
  /** The person's `worker.allow` and `worker.deny`. */
  allow: readonly string[]
  deny: readonly string[]
}
