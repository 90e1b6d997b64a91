import { type BlockWriter, shownImage } from './block-writer'
import { type JsonRecord, recordOf } from './json-value'
import { answerIn, callIn, isThought, wordsIn } from './parts'

/** Writes a part as what it is: words, thinking, a call, an answer or an image. */
export function writePart(writer: BlockWriter, part: JsonRecord): void {
  const call = callIn(part)
  const answer = answerIn(part)
  const image = imageIn(part)
  if (call !== undefined) writer.call(call.toolUseId ?? '', call.name, call.input)
  else if (answer !== undefined) {
    const images = answer.others.flatMap((other) => imageIn(other) ?? [])
    writer.answer(answer.toolUseId ?? '', answer.isError, answer.text, images)
  } else if (image !== null) writer.image(image)
  else if (isThought(part)) writer.thinking(String(part.text))
  else {
    const words = wordsIn(part)
    if (words === undefined) writer.other('part', part)
    else writer.text(words)
  }
}

function imageIn(part: JsonRecord) {
  const data = recordOf(part.inlineData)
  return data === undefined ? null : shownImage(data.mimeType, data.data)
}
