import type { Answers } from '../../../api/contract/operations'
import { plural } from '../../print/measures'

type Masked = Answers['sessions']['document']['masked']

/** What is masked in a document, for a person that gives it away. */
export const maskedLines = (masked: Masked): string[] =>
  masked.length === 0
    ? ['no secret of a known form is in it. Read it before you give it away.']
    : masked.map(({ rule, count, turns }) => {
        const places = turns.slice(0, 8).join(', ')
        return `masked: ${rule}, ${plural(count, 'time')} (turn ${places}${turns.length > 8 ? ', …' : ''})`
      })
