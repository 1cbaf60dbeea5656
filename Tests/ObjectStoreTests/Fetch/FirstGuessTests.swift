// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments
import TestSupport
import Testing

/// Requests as a Swift developer writes them at first.
@Suite struct FirstGuessTests {
  struct Teacher: Entity {
    let name = Attribute<String>("name")
    let courses: ToMany<Course> = ToMany("courses", inverse: \.teacher)
  }

  struct Course: Entity {
    let title = Attribute<String>("title")
    let joined = Attribute<Date>("joined")
    let teacher = ToOne<Teacher>("teacher", inverse: \.courses)
  }

  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture([Teacher.self, Course.self])
    for number in 0..<3 {
      let course = fixture.context.insert(Course.self)
      course.title = "course \(number)"
      course.joined = Date(timeIntervalSinceReferenceDate: Double(number))
      let teacher = fixture.context.insert(Teacher.self)
      teacher.name = "teacher \(number)"
      course.teacher = teacher
    }
    try fixture.context.save()
    fixture.observer.removeAll()
  }

  @Test func sortsInReverseAsFoundationDoes() throws {
    var request = FetchRequest<Course>()
    request.sortDescriptors = [SortDescriptor(\.joined, order: .reverse)]
    let titles = try fixture.context.fetch(request).map(\.title)
    #expect(titles == ["course 2", "course 1", "course 0"])
    #expect(fixture.observer.sql.last?.hasSuffix("ORDER BY t0.ZJOINED DESC") == true)
  }

  @Test func takesAPredicateWithoutALabel() throws {
    let predicate = try FetchPredicate("title == %@", "course 1")
    #expect(try fixture.context.fetch(FetchRequest<Course>(predicate)).count == 1)
  }

  @Test func prefetchesByKeyPath() throws {
    var request = FetchRequest<Course>()
    request.prefetch(\.teacher)
    #expect(request.relationshipKeyPathsForPrefetching == ["teacher"])
    var teachers = FetchRequest<Teacher>()
    teachers.prefetch(\.courses)
    let context = fixture.container.newBackgroundContext()
    for teacher in try context.fetch(teachers) { #expect(teacher.courses.count == 1) }
    #expect(fixture.container.statistics.cacheMisses == 0)
  }

  @Test func readsBatchesWithoutOptionals() throws {
    var request = FetchRequest<Course>()
    request.fetchBatchSize = 2
    let courses = try fixture.context.fetchInBatches(request)
    #expect(courses[2].title == "course 2")
    #expect(courses.map(\.title) == ["course 0", "course 1", "course 2"])
    for course in courses { #expect(course.teacher != nil) }
  }
}
