import { LEAD_ANSWERS, type LeadAnswers } from '../../domain/task/lead-answers'
import type { KeySpec } from '../key-spec'

/** What leads may do beside handing out work, by key. */
export interface LeadSettings {
  'lead.answers': LeadAnswers
}

/** They give agents leave, so a repository's file may set none of them. */
export const LEAD_KEYS: { readonly [K in keyof LeadSettings]: KeySpec<LeadSettings[K]> } = {
  'lead.answers': {
    help: 'which questions from its own task tree a lead may answer: never, rules (it may allow only calls that match worker.allow) or all',
    isProjectSafe: false,
    isLive: false,
    fallback: () => 'never',
    parse: (value) => {
      const found = LEAD_ANSWERS.find((word) => word === value)
      if (found === undefined) throw new Error(`must be one of ${LEAD_ANSWERS.join(', ')}`)
      return found
    },
  },
}
