import type { CallPart, ConversationPart, NeutralConversation } from '../../domain/harness/translation'

/** A part of a conversation as most CLIs write it: a person's words, or one answer of the model. */
export type Step = Extract<ConversationPart, { kind: 'person' }> | AgentStep

export interface AgentStep {
  kind: 'agent'
  texts: string[]
  /** What the answer ends with. `null` = with words. */
  call: CallPart | null
  /** Nothing of the model follows before a person's words. */
  isLast: boolean
}

/** Texts and the call after them are one answer; each further call is one of its own. */
export function stepsOf({ parts }: NeutralConversation): Step[] {
  const steps: Step[] = []
  let open: AgentStep | null = null
  for (const part of parts) {
    if (part.kind === 'person') {
      open = null
      steps.push(part)
      continue
    }
    if (open === null) {
      open = { kind: 'agent', texts: [], call: null, isLast: false }
      steps.push(open)
    }
    if (part.kind === 'agent') open.texts.push(part.text)
    else {
      open.call = part
      open = null
    }
  }
  for (const [at, step] of steps.entries())
    if (step.kind === 'agent') step.isLast = (steps[at + 1]?.kind ?? 'person') === 'person'
  return steps
}
