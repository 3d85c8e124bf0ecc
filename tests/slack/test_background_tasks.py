"""Background tasks delay nobody, except the shutdown."""

import asyncio
import inspect

import pytest
from structlog.testing import capture_logs

from bot.errors import SlackError
from bot.slack.api.background_tasks import BackgroundTasks


async def test_the_end_waits_for_what_is_under_way() -> None:
    done: list[str] = []

    async def task() -> None:
        await asyncio.sleep(0)
        done.append("task")

    async with BackgroundTasks() as tasks:
        tasks.run(task())
        assert [] == done

    assert ["task"] == done


async def test_the_end_waits_for_what_is_begun_meanwhile() -> None:
    done: list[str] = []

    async def notice() -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        done.append("notice")

    async def task() -> None:
        await asyncio.sleep(0)
        tasks.run(notice())

    async with BackgroundTasks() as tasks:
        tasks.run(task())

    assert ["notice"] == done


async def test_what_slack_refuses_breaks_nothing() -> None:
    async def task() -> None:
        raise SlackError("chat.update: message_not_found")

    async with BackgroundTasks() as tasks:
        tasks.run(task())


async def test_what_takes_too_long_is_given_up() -> None:
    never = asyncio.Event()

    async def task() -> None:
        await never.wait()

    tasks = BackgroundTasks()
    tasks.run(task())

    async with asyncio.timeout(30):
        await tasks.finish(within_seconds=0.01)


async def test_what_goes_on_in_task_after_task_is_given_up_too() -> None:
    tasks = BackgroundTasks()

    async def task() -> None:
        await asyncio.sleep(0.01)
        tasks.run(task())

    tasks.run(task())
    with capture_logs() as lines:
        async with asyncio.timeout(30):
            await tasks.finish(within_seconds=0.1)

    assert ["background_tasks_timed_out"] == [line["event"] for line in lines]


async def test_a_task_outlives_its_caller() -> None:
    begun, allowed, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def task() -> None:
        begun.set()
        await allowed.wait()
        done.set()

    tasks = BackgroundTasks()
    tasks.run(task())
    waiting = asyncio.create_task(tasks.finish())
    await begun.wait()
    waiting.cancel()
    await asyncio.wait({waiting})
    allowed.set()

    async with asyncio.timeout(30):
        await done.wait()


async def test_one_that_is_given_up_before_it_began_is_closed() -> None:
    async def task() -> None:
        raise AssertionError("It was to be given up.")

    tasks, told = BackgroundTasks(), task()
    tasks.run(told)
    for other in asyncio.all_tasks() - {asyncio.current_task()}:
        other.cancel()
    await asyncio.sleep(0)

    # Otherwise Python reports it later, when the garbage collector finds it.
    assert "CORO_CLOSED" == inspect.getcoroutinestate(told)


async def test_what_breaks_is_logged_with_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    async def task() -> None:
        raise RuntimeError("A mistake of ours.")

    async with BackgroundTasks() as tasks:
        tasks.run(task())

    assert "A mistake of ours." in capsys.readouterr().out
