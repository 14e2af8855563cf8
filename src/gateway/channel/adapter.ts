/** What a channel gives so that people can talk to the engine there: the one interface between this layer and a channel like Telegram. */
import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'
import type { AnswerText } from './text/answer-text.ts'
import type { RichText } from './text/rich-text.ts'

/** Where something is said: a chat, and in a chat with topics the topic. Ids are the channel's own; numbers are written as texts. */
export type Place = { readonly chat: string; readonly topic?: string }

/** A file that came with a message; the channel still has its bytes. */
export type SentFile = { readonly id: string; readonly name: string; readonly mediaType: string; readonly bytes: number }

/** Something a person wrote. */
export type Written = {
  readonly kind: 'written'
  /** Names this message for ever: the same one that comes again has the same id, and is answered once. */
  readonly update: string
  readonly place: Place
  /** The message to reply to. */
  readonly message: string
  readonly text: string
  readonly files: readonly SentFile[]
  /** The words are another person's. */
  readonly isForwarded: boolean
  /** What it is, where it is nothing that can be taken: "a voice message", "a sticker". */
  readonly unsupported?: string
}

/** A button that a person pressed. A channel without buttons writes them as words, and gives a typed word as a press. */
export type Press = {
  readonly kind: 'press'
  readonly id: string
  readonly place: Place
  /** The message that has the button. */
  readonly message: string
  readonly data: string
}

export type Incoming = Written | Press

export type Button = { readonly text: string; readonly data: string }

export type SendOptions = {
  /** The message that this answers. */
  readonly replyTo?: string
  /** Rows of buttons under it; none removes those that were there. */
  readonly buttons?: readonly (readonly Button[])[]
}

/** A word that the layer itself answers, for the channel's menu. */
export type MenuCommand = { readonly command: string; readonly description: string }

/** How fast a channel moves. */
export type Pace = {
  /** How long the first words of an answer wait for more, and what waits is looked at again. */
  readonly chatMs: number
  /** How long a chat rests after each call. */
  readonly restMs: (chat: string) => number
  /** How often a chat is shown that an answer is being written. */
  readonly typingMs: number
  /** How long to wait after a failure, and after many. */
  readonly backoffMs: number
  readonly mostBackoffMs: number
}

export type Receiver = {
  /** Takes one message or press. Acknowledge it to the channel only after an ok; what gives a fault must come again. */
  readonly take: (incoming: Incoming) => Promise<Result<null, Fault>>
  /** Reports what keeps messages from coming, and nothing as soon as they come. */
  readonly onState: (trouble: Fault | undefined) => void
}

/** Ends calls: `receiving` when the channel takes nothing more, `sending` when it closes for good. */
export type ChannelSignals = { readonly receiving: AbortSignal; readonly sending: AbortSignal }

export type ChannelAdapter = {
  /** The channel's word in settings, on the command line and in the log: `telegram`. It names what is stored, so it never changes. */
  readonly name: string
  /** The channel as people call it: `Telegram`. */
  readonly title: string
  readonly pace: Pace
  /** Reaches the channel. The name is what people call us there, without "@"; empty where there is none. */
  readonly connect: () => Promise<Result<{ readonly username: string }, Fault>>
  /** Shows the commands in the channel's menu. */
  readonly announce?: (commands: readonly MenuCommand[]) => Promise<Result<null, Fault>>
  /** Gives everything that people write to `take`, until `receiving` aborts. */
  readonly receive: (receiver: Receiver) => Promise<void>
  /** Sends one message, and gives its id. */
  readonly send: (place: Place, text: RichText, sending?: SendOptions) => Promise<Result<string, Fault>>
  /**
   * Changes a message. One that a person deleted stays deleted, which is an ok. After `rejected` the text is sent anew when it is
   * whole, so a channel that cannot edit answers with that.
   */
  readonly edit: (place: Place, message: string, text: RichText, sending?: SendOptions) => Promise<Result<null, Fault>>
  /** Deletes a message; one that is gone already is an ok. */
  readonly remove: (place: Place, message: string) => Promise<Result<null, Fault>>
  /** Shows that an answer is being written. */
  readonly typing: (place: Place) => Promise<Result<null, Fault>>
  /** Tells the person that a press was taken, and its outcome. */
  readonly acknowledge: (press: string, words: string) => Promise<Result<null, Fault>>
  /** The bytes of a file. `too-large` says in its message how large a file may be. */
  readonly file: (file: SentFile) => Promise<Result<Buffer, Fault>>
  /**
   * Texts as messages of this channel, none longer than it allows. A text that grows keeps all its messages but the last. A channel
   * that cannot edit gives none until the answer is final.
   */
  readonly format: {
    readonly answer: (answer: AnswerText) => Promise<readonly RichText[]>
    readonly text: (text: RichText) => Promise<readonly RichText[]>
  }
}
