import * as z from 'zod/mini'
import { attemptIdSchema, questionIdSchema, taskIdSchema, toolUseIdSchema } from './ids'
import { Instant, MaybeInstant, MaybeText } from './usage'

const BehaviorSchema = z.enum(['allow', 'deny'])

/** A tool call of a run that needs approval. `isCut`: `input` is not whole. */
export const Question = z.object({
  id: questionIdSchema,
  taskId: taskIdSchema,
  attemptId: attemptIdSchema,
  toolUseId: z.nullable(toolUseIdSchema),
  toolName: z.string(),
  input: z.unknown(),
  isCut: z.boolean(),
  description: MaybeText,
  status: z.enum(['open', 'answered', 'expired', 'withdrawn']),
  default: BehaviorSchema,
  deadline: Instant,
  answer: z.nullable(z.object({ behavior: BehaviorSchema, message: MaybeText })),
  answeredBy: MaybeText,
  askedAt: Instant,
  answeredAt: MaybeInstant,
})

export const OneQuestion = z.object({ question: Question })
export const QuestionPage = z.object({ questions: z.array(Question), nextCursor: MaybeText })
