"""The vendors' own SDKs talk to the scripted model: sdks.py WIRE URL.

Each wire tells the same story, prints what it saw as JSON, and leaves the judgement
to the test that started it."""

import base64
import json
import sys

PNG = b"\x89PNG\r\n\x1a\n...."
PNG64 = base64.b64encode(PNG).decode()
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


class Messages:
    """Anthropic, at home and in two clouds."""

    def __init__(self, client):
        self.client = client

    def stream(self, messages):
        with self.client.messages.stream(
            model="claude-test",
            max_tokens=3000,
            messages=messages,
            thinking={"type": "enabled", "budget_tokens": 1024},
            tools=[{"name": "read_file", "description": "reads", "input_schema": SCHEMA}],
        ) as stream:
            return stream.get_final_message()

    def story(self):
        messages = [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "go"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG64}},
                ],
            }
        ]
        first = self.stream(messages)
        by = {c.type: c for c in first.content}
        messages += [
            {"role": "assistant", "content": first.content},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": by["tool_use"].id, "content": "hello"}],
            },
        ]
        last = self.stream(messages)
        return by["thinking"].thinking, by["text"].text, by["tool_use"].name, by["tool_use"].input, last.content[0].text

    def say(self, text):
        self.stream([{"role": "user", "content": text}])


class Chat:
    """OpenAI's Chat Completions."""

    def __init__(self, client):
        self.client = client

    def stream(self, messages):
        text, thinking, calls, finish = "", "", {}, None
        for chunk in self.client.chat.completions.create(
            model="gpt-test",
            messages=messages,
            stream=True,
            tools=[{"type": "function", "function": {"name": "read_file", "parameters": SCHEMA}}],
        ):
            for choice in chunk.choices:
                text += choice.delta.content or ""
                thinking += getattr(choice.delta, "reasoning_content", None) or ""
                finish = choice.finish_reason or finish
                for c in choice.delta.tool_calls or []:
                    call = calls.setdefault(c.index, {"id": "", "name": "", "arguments": ""})
                    call["id"] += c.id or ""
                    call["name"] += c.function.name or ""
                    call["arguments"] += c.function.arguments or ""
        if finish is None:
            raise EOFError("the stream ended before the answer did")
        return text, thinking, list(calls.values())

    def story(self):
        messages = [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "go"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG64}},
                ],
            }
        ]
        text, thinking, [call] = self.stream(messages)
        messages += [
            {
                "role": "assistant",
                "content": text,
                "tool_calls": [
                    {
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": call["name"], "arguments": call["arguments"]},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": call["id"], "content": "hello"},
        ]
        last, _, _ = self.stream(messages)
        return thinking, text, call["name"], json.loads(call["arguments"]), last

    def say(self, text):
        self.stream([{"role": "user", "content": text}])


class Responses:
    """OpenAI's Responses."""

    def __init__(self, client):
        self.client = client

    def stream(self, items):
        for event in self.client.responses.create(
            model="gpt-test",
            input=items,
            stream=True,
            store=False,
            include=["reasoning.encrypted_content"],
            tools=[{"type": "function", "name": "read_file", "parameters": SCHEMA, "strict": False}],
        ):
            if event.type == "response.completed":
                return event.response
        raise EOFError("the stream ended before the answer did")

    def story(self):
        items = [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "go"},
                    {"type": "input_image", "image_url": "data:image/png;base64," + PNG64, "detail": "auto"},
                ],
            }
        ]
        first = self.stream(items)
        by = {i.type: i for i in first.output}
        items += [i.model_dump(exclude_none=True) for i in first.output]
        items.append({"type": "function_call_output", "call_id": by["function_call"].call_id, "output": "hello"})
        last = self.stream(items)
        return (
            by["reasoning"].summary[0].text,
            by["message"].content[0].text,
            by["function_call"].name,
            json.loads(by["function_call"].arguments),
            last.output_text,
        )

    def say(self, text):
        self.stream([{"role": "user", "content": text}])


class Gemini:
    """Google's own."""

    def __init__(self, client, types):
        self.client, self.types = client, types

    def stream(self, contents):
        types, parts, finish = self.types, [], None
        for chunk in self.client.models.generate_content_stream(
            model="gemini-test",
            contents=contents,
            config=types.GenerateContentConfig(
                thinking_config=types.ThinkingConfig(include_thoughts=True),
                automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
                tools=[
                    types.Tool(
                        function_declarations=[
                            types.FunctionDeclaration(
                                name="read_file", description="reads", parameters_json_schema=SCHEMA
                            )
                        ]
                    )
                ],
            ),
        ):
            candidate = chunk.candidates[0]
            parts += (candidate.content and candidate.content.parts) or []
            finish = candidate.finish_reason or finish
        if finish is None:
            raise EOFError("the stream ended before the answer did")
        return types.Content(role="model", parts=parts)

    def story(self):
        types = self.types
        contents = [
            types.Content(
                role="user",
                parts=[types.Part.from_text(text="go"), types.Part.from_bytes(data=PNG, mime_type="image/png")],
            )
        ]
        first = self.stream(contents)
        [called] = [p for p in first.parts if p.function_call]
        assert called.thought_signature, "the call has no signature"
        call = called.function_call
        contents += [
            first,
            types.Content(
                role="user",
                parts=[
                    types.Part(
                        function_response=types.FunctionResponse(
                            id=call.id, name=call.name, response={"output": "hello"}
                        )
                    )
                ],
            ),
        ]
        last = self.stream(contents)

        def join(want):
            return "".join(p.text for p in first.parts if p.text and bool(p.thought) == want)

        return join(True), join(False), call.name, call.args, "".join(p.text or "" for p in last.parts)

    def say(self, text):
        self.stream([self.types.Content(role="user", parts=[self.types.Part.from_text(text=text)])])


def open_wire(wire, url):
    if wire in ("anthropic", "bedrock", "vertex"):
        import anthropic

        if wire == "bedrock":
            return Messages(
                anthropic.AnthropicBedrock(
                    base_url=url,
                    aws_access_key="AKIDEXAMPLE",
                    aws_secret_key="secret",
                    aws_region="eu-west-1",
                    max_retries=0,
                )
            )
        if wire == "vertex":
            return Messages(
                anthropic.AnthropicVertex(
                    base_url=url + "/v1", access_token="token", project_id="p", region="europe-west1", max_retries=0
                )
            )
        return Messages(anthropic.Anthropic(base_url=url, api_key="sk-test", max_retries=0))
    if wire in ("openai", "responses"):
        import openai

        client = openai.OpenAI(base_url=url + "/v1", api_key="sk-test", max_retries=0)
        return Chat(client) if wire == "openai" else Responses(client)
    from google import genai

    return Gemini(genai.Client(api_key="sk-test", http_options=genai.types.HttpOptions(base_url=url)), genai.types)


def failure(wire, text):
    try:
        wire.say(text)
    except Exception as e:  # whatever the SDK makes of it
        return [type(e).__name__, getattr(e, "status_code", None) or getattr(e, "code", None)]
    return None


def main():
    wire = open_wire(sys.argv[1], sys.argv[2])
    thinking, text, tool, args, last = wire.story()
    json.dump(
        {
            "thinking": thinking,
            "text": text,
            "tool": tool,
            "input": args,
            "last": last,
            "limit": failure(wire, "limit"),
            "cut": failure(wire, "cut"),
        },
        sys.stdout,
    )


main()
