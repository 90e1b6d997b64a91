import { wholeTextOf } from '../../json-lines/whole-text'
import { addCallWords } from '../tools'
import { readLineContent } from './line-content'

/** What a person reads of a line, uncut. `null` = it has no words. */
export const wholeText = (line: Uint8Array): string | null => wholeTextOf(readLineContent(line), addCallWords)
